import sharp from 'sharp';
import { createLimit } from '../../lib/admission/limit.ts';
import { createBreaker } from '../../lib/generators/breaker.ts';
import type {
  Generator,
  RenderedImage,
  UpstreamGenerator,
  UpstreamRender,
  UpstreamRequest,
} from '../../lib/generators/port.ts';
import type { Generators } from '../../lib/generators/registry.ts';

/** What a scripted upstream does with a request. */
export type Script = (request: UpstreamRequest, render: UpstreamRender) => Promise<RenderedImage>;

/** The negative of the input: it has all of its edges, and is not the input. */
export const invert = async ({ image }: UpstreamRequest) => ({
  bytes: await sharp(image).negate().jpeg().toBuffer(),
  costUsd: null,
});

/** An upstream that runs the script of the test for its tool, and inverts the input for any other tool. */
export function scriptedUpstream(script: Record<string, Script>): UpstreamGenerator {
  return {
    kind: 'upstream',
    name: 'scripted',
    model: 'script',
    charges: false,
    async render(render) {
      const request = await render.request();
      return (script[request.tool] ?? invert)(request, render);
    },
    tasks: { cancel: async () => {} },
  };
}

/** See {@link scriptedUpstream}. */
export const scriptedGenerators = (script: Parameters<typeof scriptedUpstream>[0]): Generators =>
  generatorsOf(scriptedUpstream(script));

/** Generators that are asked in this order, for every tool. */
export function generatorsOf(...generators: Generator[]): Generators {
  const places = createLimit({ total: 100, perOwner: 100 });
  return {
    forPlan: () => generators,
    find: (name) => generators.filter((each) => each.kind === 'upstream').find((each) => each.name === name),
    upstreams: generators.filter((generator) => generator.kind === 'upstream'),
    breakerOf: () => createBreaker(),
    limitOf: () => places,
    failoverOnRefused: false,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** A render that waits until it is released or aborted. */
export function blockedRender() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const render = async (request: UpstreamRequest) => {
    const { signal } = request;
    await Promise.race([
      released,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
    return invert(request);
  };
  return { render, release };
}
