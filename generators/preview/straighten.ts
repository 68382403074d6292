import { openRaw, type RawImage, toRaw } from '../../imaging/libvips.ts';
import type { Operation } from './operation.ts';

const DEGREE = Math.PI / 180;
/** Lines leaning further than this are meant to, and so is less than the least. */
const MOST = 8;
const LEAST = 0.2;
const BINS_PER_DEGREE = 8;

/** Turns the picture so that its walls stand upright and its horizon is level, and fills the frame again. */
export const straighten: Operation = async (image, settings) => {
  const tilt = await findTilt(image, settings.perspectiveAxis ?? 'both');
  if (Math.abs(tilt) < LEAST) return image;
  const { width, height } = image;
  const turned = await toRaw(openRaw(image).rotate(-tilt, { background: '#000000' }));
  const kept = keptShare(width, height, Math.abs(tilt) * DEGREE);
  const crop = { width: Math.floor(width * kept), height: Math.floor(height * kept) };
  const left = Math.round((turned.width - crop.width) / 2);
  const top = Math.round((turned.height - crop.height) / 2);
  return toRaw(
    openRaw(turned)
      .extract({ left, top, ...crop })
      .resize({ width, height, fit: 'fill' }),
  );
};

/** Side of the largest rectangle of the same shape inside the turned one, as a share of the old side. */
function keptShare(width: number, height: number, angle: number): number {
  const shape = Math.max(width / height, height / width);
  return 1 / (Math.cos(angle) + shape * Math.sin(angle));
}

/**
 * Degrees, clockwise, by which upright and level edges lean: every pixel of a thumbnail votes, with the strength of
 * its edge, for the lean of that edge.
 */
export async function findTilt(image: RawImage, axis: string): Promise<number> {
  const thumbnail = openRaw(image).resize({ width: 512, height: 512, fit: 'inside' });
  const { data, info } = await thumbnail.greyscale().blur(1).raw().toBuffer({ resolveWithObject: true });
  const votes = new Float64Array(2 * MOST * BINS_PER_DEGREE + 1);
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
  const bin = Math.round((lean + MOST) * BINS_PER_DEGREE);
  if (bin >= 0 && bin < votes.length) votes[bin] = (votes[bin] ?? 0) + strength;
}

/** The lean most votes gather around; 0 when they are spread too evenly to tell. */
function peakOf(votes: Float64Array): number {
  const around = Array.from(votes, (_, bin) => sum(votes.subarray(Math.max(0, bin - 3), bin + 4)));
  const best = around.indexOf(Math.max(...around));
  const even = (sum(votes) / votes.length) * 7;
  return (around[best] ?? 0) > 2 * even ? best / BINS_PER_DEGREE - MOST : 0;
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
