import type { UpstreamGenerator } from '../../generators/port.ts';

const returnInput: UpstreamGenerator['render'] = async ({ image, mime }) => ({ bytes: image, mime });

/** A generator that runs the script of the test for its tool, and returns the input for any other tool. */
export function scriptedGenerator(script: Record<string, UpstreamGenerator['render']>): UpstreamGenerator {
  return {
    kind: 'upstream',
    name: 'scripted',
    render: (request) => (script[request.tool] ?? returnInput)(request),
  };
}

/** A render that waits until it is released or aborted. */
export function blockedRender() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const render: UpstreamGenerator['render'] = async (request) => {
    const { signal } = request;
    await Promise.race([
      released,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
    return returnInput(request);
  };
  return { render, release };
}
