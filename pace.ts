export interface PaceLimits {
  bytesPerSecond: number;
  /** How far a stream may fall behind the rate, and so how long it may stand still. */
  slackMs: number;
  freePieces: number;
  /** Bytes that the pieces must hold on average once there are more than `freePieces`. */
  pieceBytes: number;
}

/**
 * Counts the pieces of a stream: each costs some work whatever it holds, so many that hold little are refused.
 * @returns takes the size of the next piece, and tells whether the stream may go on
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
  /** To be told of what arrives. */
  arrived(bytes: number): void;
}

/**
 * Watches that a stream keeps up a rate. A stream that is up to date may fall `slackMs` behind; what arrives faster
 * makes up for what was late, never for what is to come. The timer is set once for each time it runs out.
 * @param tooSlow called once, then nothing is watched any more
 */
export function watchPace(
  { bytesPerSecond, slackMs }: Pick<PaceLimits, 'bytesPerSecond' | 'slackMs'>,
  tooSlow: () => void,
): Pace {
  const latest = () => performance.now() + slackMs;
  let due = latest();
  let timer = setTimeout(look, slackMs);
  function look(): void {
    const left = due - performance.now();
    if (left > 0) timer = setTimeout(look, left);
    else tooSlow();
  }
  return {
    arrived(bytes) {
      due = Math.min(due + (bytes * 1000) / bytesPerSecond, latest());
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
