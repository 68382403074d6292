/**
 * The bytes are not a usable image. The message is shown to the client; the cause is the error of
 * libvips.
 */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

/**
 * `time` and `memory`: it exceeded a limit. `crash`: it exited by itself. `killed`: SIGKILL from
 * outside, most likely because the machine is out of memory. `stopped`: SIGTERM, SIGINT or SIGHUP,
 * as when the whole service is stopped.
 */
export type EndReason = 'time' | 'memory' | 'crash' | 'killed' | 'stopped';

/** Reasons that the image causes. */
export const CAUSED_BY_IMAGE: ReadonlySet<EndReason> = new Set<EndReason>(['time', 'memory', 'crash']);

/**
 * A child process ended in the middle of a task. The message is for the log and quotes nothing of
 * the image.
 */
export class ImageProcessEnded extends Error {
  override readonly name = 'ImageProcessEnded';
  readonly reason: EndReason;

  constructor(reason: EndReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
