import type { Generator } from './port.ts';

/** Returns its input. For benchmarks, where the time of the service and not of a model is measured; never a default. */
export function createInstantGenerator(): Generator {
  return { name: 'instant', render: async ({ image, mime }) => ({ bytes: image, mime }) };
}
