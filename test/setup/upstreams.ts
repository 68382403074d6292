import { BFL } from '../lib/generators/upstreams/bfl.ts';
import { fakeComfyui } from '../lib/generators/upstreams/comfyui.ts';
import { type FakeOptions, type FakeUpstream, startUpstream } from '../lib/generators/upstreams/fake.ts';
import { FAL } from '../lib/generators/upstreams/fal.ts';
import { GEMINI } from '../lib/generators/upstreams/gemini.ts';
import { OPENAI } from '../lib/generators/upstreams/openai.ts';
import { REPLICATE } from '../lib/generators/upstreams/replicate.ts';
import { closers } from './closers.ts';

/** Upstreams that name a task. */
export const TASKS = ['bfl', 'replicate', 'fal', 'comfyui'] as const;
export const UPSTREAMS = ['gemini', 'openai', ...TASKS] as const;
export type UpstreamName = (typeof UPSTREAMS)[number];

const FAKES: Readonly<Record<UpstreamName, () => FakeOptions>> = {
  gemini: () => GEMINI,
  openai: () => OPENAI,
  bfl: () => BFL,
  replicate: () => REPLICATE,
  fal: () => FAL,
  comfyui: fakeComfyui,
};

export type Upstreams = Awaited<ReturnType<typeof startUpstreams>>;

/** A fake of every upstream, for renderers that use the real adapters as configured. */
export async function startUpstreams() {
  const stack = closers();
  const fakes = new Map<UpstreamName, FakeUpstream>();
  const env: Record<string, string> = {};
  for (const name of UPSTREAMS) {
    const options = FAKES[name]();
    const fake = stack.use(await startUpstream(options));
    fakes.set(name, fake);
    Object.assign(env, options.env(fake.server.origin));
  }
  const all = [...fakes.values()];
  return {
    /** The variables that configure the upstreams; which ones are used, and where, is up to the test. */
    env,
    of(name: UpstreamName): FakeUpstream {
      const fake = fakes.get(name);
      if (fake === undefined) throw new Error(`There is no fake of ${name}.`);
      return fake;
    },
    all: (act: (fake: FakeUpstream) => void) => all.forEach(act),
    /** Makes every fake return this image, and forget what it was asked. */
    reset(image: Buffer): void {
      for (const fake of all) {
        fake.returns(image);
        fake.clear();
      }
    },
    /** By name, since the last `clear` of each. */
    submissions: () => Object.fromEntries([...fakes].map(([name, fake]) => [name, fake.submissions()])),
    cancellations: () => all.reduce((sum, fake) => sum + fake.cancellations(), 0),
    [Symbol.asyncDispose]: () => stack.close(),
  };
}
