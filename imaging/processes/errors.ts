/** Why a child process did not finish: it took too long, took too much memory, or ended by itself. */
export type EndReason = 'time' | 'memory' | 'crash';

/** A child process ended in the middle of an image. The message is for the log; it names figures, not contents. */
export class ImageProcessEnded extends Error {
  override readonly name = 'ImageProcessEnded';
  readonly reason: EndReason;

  constructor(reason: EndReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
