import { openRaw, type RawImage, toRaw } from '../../imaging/libvips.ts';

export type Settings = Readonly<Record<string, string>>;

/** Edits a picture and keeps its size. Aborts between its steps when the signal does. */
export type Operation = (image: RawImage, settings: Settings, signal: AbortSignal) => Promise<RawImage>;

const SHARES: ReadonlyMap<string | undefined, number> = new Map([
  ['subtle', 0.45],
  ['strong', 1],
]);
const BALANCED = 0.75;

/** Runs the operations one after the other. */
export function sequence(...operations: readonly Operation[]): Operation {
  return async (image, settings, signal) => {
    let current = image;
    for (const operation of operations) {
      signal.throwIfAborted();
      current = await operation(current, settings, signal);
    }
    return current;
  };
}

/** Mixes the operation's outcome with the picture it began from, as the job's `intensity` says. */
export function byIntensity(operation: Operation): Operation {
  return async (image, settings, signal) => {
    const outcome = await operation(image, settings, signal);
    signal.throwIfAborted();
    return mix(image, outcome, SHARES.get(settings.intensity) ?? BALANCED);
  };
}

async function mix(base: RawImage, over: RawImage, share: number): Promise<RawImage> {
  if (share === 1) return over;
  const { width, height } = over;
  const veil = await openRaw(over).ensureAlpha(share).raw().toBuffer();
  const mixed = openRaw(base).composite([{ input: veil, raw: { width, height, channels: 4 } }]);
  return toRaw(mixed.removeAlpha());
}
