import type { Readable } from 'node:stream';
import { PACE } from './contract/limits.ts';
import { countPieces, watchPace } from './pace.ts';

/** Why a body was not read to its end; `cause` is what its stream broke with. */
export class BodyCutShort extends Error {
  override readonly name = 'BodyCutShort';
  readonly reason: 'slow' | 'pieces' | 'long' | 'gone';

  constructor(reason: BodyCutShort['reason'], options?: ErrorOptions) {
    super(`The body was cut short (${reason}).`, options);
    this.reason = reason;
  }
}

/** Read of one body before everybody else has a turn: libuv would take 2 MB of each connection off the wire at a time. */
const TURN_BYTES = 128 * 1024;

/** Of errors that come when nobody reads any more. No closure: it stays on the stream, and would keep what was read. */
const ignored = () => {};

/**
 * Hands a body over piece by piece as it arrives, which must not be too slowly nor in too many pieces. Reads by events: an
 * iterator joins small pieces, and then nobody sees how many there were. The stream stays open, for where it is a
 * request's, the answer still has to go out on its socket.
 * @param options `signal` ends it as too slow; `bytesPerSecond` it must keep up, that of PACE unless told
 * @throws BodyCutShort, or whatever `take` throws; then nothing is handed over any more
 */
export function readBody(
  stream: Readable,
  take: (piece: Buffer) => void,
  { signal, bytesPerSecond = PACE.bytesPerSecond }: { signal?: AbortSignal; bytesPerSecond?: number } = {},
): Promise<void> {
  const mayGoOn = countPieces(PACE);
  return new Promise((resolve, reject) => {
    const onSlow = () => settle(new BodyCutShort('slow'));
    const pace = watchPace({ ...PACE, bytesPerSecond }, onSlow);
    let turn: NodeJS.Immediate | undefined;
    let turnBytes = 0;
    const nextTurn = () => {
      turnBytes = 0;
      stream.resume();
    };
    const onData = (piece: Buffer) => {
      pace.arrived(piece.length);
      if (!mayGoOn(piece.length)) return settle(new BodyCutShort('pieces'));
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
    stream.on('error', ignored);
    const onGone = (cause?: Error) => settle(new BodyCutShort('gone', { cause }));
    function settle(error?: unknown): void {
      pace[Symbol.dispose]();
      clearImmediate(turn);
      signal?.removeEventListener('abort', onSlow);
      stream.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      stream.pause();
      if (error === undefined) resolve();
      else reject(error);
    }
    stream.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
    signal?.addEventListener('abort', onSlow);
    if (signal?.aborted) onSlow();
    else if (stream.readableEnded) settle();
    else if (stream.destroyed) onGone();
    else stream.resume();
  });
}
