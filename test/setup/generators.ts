import { createInstantGenerator } from '../../generators/instant.ts';
import type { Generator } from '../../generators/port.ts';

const instant = createInstantGenerator();

/** Does for a tool what the test says, and returns the input for every other one. */
export function scriptedGenerator(script: Record<string, Generator['render']>): Generator {
  return {
    name: 'scripted',
    render: (request) => (script[request.tool] ?? instant.render)(request),
  };
}

/** A generator's render that waits, for as long as it isn't aborted, until it is let through. */
export function heldRender() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const render: Generator['render'] = async (request) => {
    const { signal } = request;
    await Promise.race([
      released,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
    return instant.render(request);
  };
  return { render, release };
}
