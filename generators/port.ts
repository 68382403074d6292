import type { RawImage } from '../imaging/libvips.ts';
import type { SizeTarget } from '../imaging/size.ts';
import type { ImageMime } from '../imaging/sniff.ts';

/** State of an attempt at an upstream: plain JSON, kept outside the process, enough to pick the prediction up again. */
export type AttemptState = Readonly<Record<string, string>>;

export interface RenderRequest {
  /** Slug of the tool and the settings of the job as the catalogue resolved them, defaults included. */
  tool: string;
  settings: Readonly<Record<string, string>>;
  /** What a model is asked to do, in plain English. */
  instruction: string;
  /** The prepared input: upright, opaque sRGB, no metadata; `width` and `height` in pixels are its own. */
  image: Buffer;
  mime: ImageMime;
  width: number;
  height: number;
  /** The size to aim at. The caller brings whatever comes back to exactly this size. */
  target: SizeTarget;
  /** Aborts the render; it then rejects with the signal's reason. */
  signal: AbortSignal;
  /** What an earlier attempt of the same job passed to `onSubmitted`. */
  resume?: AttemptState;
  /** To be called as soon as an upstream has taken the job, so that a crash does not pay for it twice. */
  onSubmitted: (state: AttemptState) => void;
}

/** An encoded picture, trusted by nobody, or the pixels of a generator that works in this process. */
export type RenderedImage = { bytes: Buffer; mime: ImageMime } | RawImage;

export interface Generator {
  readonly name: string;
  /** Rejects with a GeneratorError for whatever is the model's or the upstream's doing. */
  render(request: RenderRequest): Promise<RenderedImage>;
}
