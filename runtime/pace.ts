export interface PaceLimits {
  bytesPerSecond: number;
  /** How far a stream may fall behind the rate; also the longest pause. Infinity for no minimum rate. */
  slackMs: number;
  /** Number of pieces of any size that are allowed. */
  freePieces: number;
  /** Minimum average size of the pieces once there are more than `freePieces`. */
  pieceBytes: number;
}

/**
 * Limits the number of small pieces of a stream, because each piece costs work regardless of its size.
 * @returns a function that counts a piece of the given size and returns whether the stream is within the limit
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

/** Node's timers fire at once for a longer time. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Enforces a minimum rate of a stream, which may fall behind by `slackMs`. Faster arrival makes up for a delay, but
 * gains no credit for later. The timer is reset only when it fires, not for each piece.
 * @param onTooSlow called once, at most
 */
export function watchPace(
  { bytesPerSecond, slackMs }: Pick<PaceLimits, 'bytesPerSecond' | 'slackMs'>,
  onTooSlow: () => void,
): Pace {
  const latest = () => performance.now() + slackMs;
  let due = latest();
  let timer = wait(slackMs);
  function wait(ms: number) {
    return setTimeout(check, Math.min(ms, MAX_TIMER_MS));
  }
  function check(): void {
    const left = due - performance.now();
    if (left > 0) timer = wait(left);
    else onTooSlow();
  }
  return {
    arrived(bytes) {
      due = Math.min(due + (bytes * 1000) / bytesPerSecond, latest());
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
