import { countdown } from '../process/countdown.ts';

export interface PaceLimits {
  bytesPerSecond: number;
  /**
   * A stream may fall behind the rate by this time, which is also the longest pause. Infinity: no
   * minimum rate.
   */
  slackMs: number;
  /** Number of pieces of any size that are allowed. */
  freePieces: number;
  /** Minimum average size of the pieces once there are more than `freePieces`. */
  pieceBytes: number;
}

/**
 * Limits the number of small pieces of a stream, because each piece costs work regardless of its
 * size.
 * @returns a function that counts a piece of the given size and returns whether the stream is
 * within the limit
 */
export function countPieces({ freePieces, pieceBytes }: Pick<PaceLimits, 'freePieces' | 'pieceBytes'>) {
  let pieces = 0;
  let bytes = 0;
  return (size: number): boolean => {
    pieces += 1;
    bytes += size;
    return pieces <= freePieces || bytes >= pieces * pieceBytes;
  };
}

export interface Pace extends Disposable {
  /** Must be called for each piece. */
  arrived(bytes: number): void;
}

/**
 * Enforces a minimum rate of a stream, which may fall behind by `slackMs`. Faster arrival makes up
 * for a delay, but earns no credit for later. Time in which this process stood still does not
 * count.
 * @param onTooSlow called once, at most
 */
export function watchPace(
  { bytesPerSecond, slackMs }: Pick<PaceLimits, 'bytesPerSecond' | 'slackMs'>,
  onTooSlow: () => void,
): Pace {
  const slack = countdown(slackMs, onTooSlow);
  return {
    arrived: (bytes) => slack.add((bytes * 1000) / bytesPerSecond, slackMs),
    [Symbol.dispose]: slack[Symbol.dispose],
  };
}
