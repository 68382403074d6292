import type { Readable } from 'node:stream';
import { PACE } from '../contract/limits.ts';
import { countPieces, type PaceLimits, watchPace } from './pace.ts';

/** The body was not read to its end; `cause` is the error of the stream. */
export class BodyReadError extends Error {
  override readonly name = 'BodyReadError';
  readonly reason: 'slow' | 'too_many_chunks' | 'too_long' | 'aborted';

  constructor(reason: BodyReadError['reason'], options?: ErrorOptions) {
    super(`The body is incomplete (${reason}).`, options);
    this.reason = reason;
  }
}

/**
 * Bytes read from one body before other connections get a turn; libuv would read 2 MB per
 * connection.
 */
const TURN_BYTES = 128 * 1024;

/**
 * For errors after the promise has settled. It stays on the stream: a closure would retain what was
 * read.
 */
const ignoreError = () => {};

export interface ReadOptions extends Partial<Pick<PaceLimits, 'bytesPerSecond' | 'slackMs'>> {
  /** Ends the read as too slow. */
  signal?: AbortSignal;
}

/**
 * Passes a body to `take` piece by piece. The body must not arrive too slowly or in too many
 * pieces. Uses events: an iterator would join small pieces and hide their number. The stream is not
 * destroyed, because the response of a request still uses its socket.
 * @param options the minimum rate is that of PACE by default
 * @throws BodyReadError, or the error of `take`, which is not called again
 */
export function readBody(
  stream: Readable,
  take: (piece: Buffer) => void,
  { signal, ...pacing }: ReadOptions = {},
): Promise<void> {
  const isWithinLimit = countPieces(PACE);
  return new Promise((resolve, reject) => {
    const onSlow = () => settle(new BodyReadError('slow'));
    const pace = watchPace({ ...PACE, ...pacing }, onSlow);
    let turn: NodeJS.Immediate | undefined;
    let turnBytes = 0;
    const nextTurn = () => {
      turnBytes = 0;
      stream.resume();
    };
    const onData = (piece: Buffer) => {
      pace.arrived(piece.length);
      if (!isWithinLimit(piece.length)) return settle(new BodyReadError('too_many_chunks'));
      try {
        take(piece);
      } catch (error) {
        return settle(error);
      }
      turnBytes += piece.length;
      if (turnBytes < TURN_BYTES || stream.isPaused()) return;
      stream.pause();
      turn = setImmediate(nextTurn);
    };
    const onEnd = () => settle();
    stream.on('error', ignoreError);
    const onClose = (cause?: Error) => settle(new BodyReadError('aborted', { cause }));
    function settle(error?: unknown): void {
      pace[Symbol.dispose]();
      clearImmediate(turn);
      signal?.removeEventListener('abort', onSlow);
      stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      stream.pause();
      if (error === undefined) resolve();
      else reject(error);
    }
    stream.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    signal?.addEventListener('abort', onSlow);
    if (signal?.aborted) onSlow();
    else if (stream.readableEnded) settle();
    else if (stream.destroyed) onClose();
    else stream.resume();
  });
}
