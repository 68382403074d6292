import type { RawImage } from '../../imaging/libvips.ts';

export type Settings = Readonly<Record<string, string>>;

/** Edits an image and keeps its size. */
export type Operation = (image: RawImage, settings: Settings) => Promise<RawImage>;

const SHARES: ReadonlyMap<string | undefined, number> = new Map([
  ['subtle', 0.45],
  ['strong', 1],
]);
const BALANCED = 0.75;

/** Runs the operations one after the other. */
export function sequence(...operations: readonly Operation[]): Operation {
  return async (image, settings) => {
    let current = image;
    for (const operation of operations) {
      current = await operation(current, settings);
    }
    return current;
  };
}

/** Mixes the result of the operation with the original image by the job's `intensity`. */
export function byIntensity(operation: Operation): Operation {
  return async (image, settings) => {
    const edited = await operation(image, settings);
    return mix(image, edited, SHARES.get(settings.intensity) ?? BALANCED);
  };
}

/** Overwrites `over` with the mix; a composite in libvips takes five times as long. */
function mix(base: RawImage, over: RawImage, share: number): RawImage {
  const weight = Math.round(share * 256);
  const [from, to] = [base.pixels, over.pixels];
  for (let at = 0; at < to.length; at++) {
    const level = from[at] ?? 0;
    to[at] = level + ((((to[at] ?? 0) - level) * weight) >> 8);
  }
  return over;
}
