import { openRaw, type RawImage, toRaw } from '../../imaging/libvips.ts';
import type { Operation } from './operation.ts';

const DEGREE = Math.PI / 180;
/** In degrees. A larger tilt is taken for intended, a smaller one is not worth a resize. */
const MAX_TILT = 8;
const MIN_TILT = 0.2;
const BINS_PER_DEGREE = 8;

/** Rotates the image so that walls are upright and the horizon is level, then crops and resizes to the old size. */
export const straighten: Operation = async (image, settings) => {
  const tilt = await findTilt(image, settings.perspectiveAxis ?? 'both');
  if (Math.abs(tilt) < MIN_TILT) return image;
  const { width, height } = image;
  const turned = await toRaw(openRaw(image).rotate(-tilt, { background: '#000000' }));
  const share = keptShare(width, height, Math.abs(tilt) * DEGREE);
  const crop = { width: Math.floor(width * share), height: Math.floor(height * share) };
  const left = Math.round((turned.width - crop.width) / 2);
  const top = Math.round((turned.height - crop.height) / 2);
  return toRaw(
    openRaw(turned)
      .extract({ left, top, ...crop })
      .resize({ width, height, fit: 'fill' }),
  );
};

/** Side of the largest rectangle of the same shape inside the rotated image, as a share of the old side. */
function keptShare(width: number, height: number, angle: number): number {
  const shape = Math.max(width / height, height / width);
  return 1 / (Math.cos(angle) + shape * Math.sin(angle));
}

/**
 * The tilt of upright and level edges, in degrees clockwise: a histogram over a thumbnail, in which every pixel votes
 * for the angle of its edge with the strength of that edge.
 */
export async function findTilt(image: RawImage, axis: string): Promise<number> {
  const thumbnail = openRaw(image).resize({ width: 512, height: 512, fit: 'inside' });
  const { data, info } = await thumbnail.greyscale().blur(1).raw().toBuffer({ resolveWithObject: true });
  const votes = new Float64Array(2 * MAX_TILT * BINS_PER_DEGREE + 1);
  for (let y = 1; y < info.height - 1; y++) {
    for (let x = 1; x < info.width - 1; x++) {
      castVote(votes, gradientAt(data, info.width, y * info.width + x), axis);
    }
  }
  return peakOf(votes);
}

/** Sobel's operator. */
function gradientAt(grey: Buffer, width: number, at: number): { x: number; y: number } {
  const level = (offset: number) => grey[at + offset] ?? 0;
  const corner = level(width + 1) - level(-width - 1);
  const other = level(1 - width) - level(width - 1);
  return {
    x: corner + other + 2 * (level(1) - level(-1)),
    y: corner - other + 2 * (level(width) - level(-width)),
  };
}

function castVote(votes: Float64Array, { x, y }: { x: number; y: number }, axis: string): void {
  const strength = Math.hypot(x, y);
  if (strength < 40) return;
  const upright = Math.abs(x) > Math.abs(y);
  if (axis !== 'both' && axis !== (upright ? 'vertical' : 'horizontal')) return;
  const lean = (upright ? Math.atan(y / x) : -Math.atan(x / y)) / DEGREE;
  const bin = Math.round((lean + MAX_TILT) * BINS_PER_DEGREE);
  if (bin >= 0 && bin < votes.length) votes[bin] = (votes[bin] ?? 0) + strength;
}

/** The peak of the histogram in degrees; 0 when it has no clear one. */
function peakOf(votes: Float64Array): number {
  const smoothed = Array.from(votes, (_, bin) => sum(votes.subarray(Math.max(0, bin - 3), bin + 4)));
  const best = smoothed.indexOf(Math.max(...smoothed));
  const average = (sum(votes) / votes.length) * 7;
  return (smoothed[best] ?? 0) > 2 * average ? best / BINS_PER_DEGREE - MAX_TILT : 0;
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
