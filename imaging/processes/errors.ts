/**
 * Why a child process did not finish: it took too long, took too much memory, ended by itself, was killed from outside (by
 * the kernel for want of memory, most likely), or was asked to stop, as when all of a service is.
 */
export type EndReason = 'time' | 'memory' | 'crash' | 'killed' | 'stopped';

/** A child process ended in the middle of an image. The message is for the log; it names figures, not contents. */
export class ImageProcessEnded extends Error {
  override readonly name = 'ImageProcessEnded';
  readonly reason: EndReason;

  constructor(reason: EndReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
