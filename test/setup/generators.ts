import type { UpstreamGenerator } from '../../generators/port.ts';

const returnInput: UpstreamGenerator['render'] = async ({ image, mime }) => ({ bytes: image, mime });

/** Does for a tool what the test says, and returns the input for every other one. */
export function scriptedGenerator(script: Record<string, UpstreamGenerator['render']>): UpstreamGenerator {
  return {
    kind: 'upstream',
    name: 'scripted',
    render: (request) => (script[request.tool] ?? returnInput)(request),
  };
}

/** A generator's render that waits, for as long as it isn't aborted, until it is let through. */
export function heldRender() {
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
