import type { FinishedResult } from '../imaging/finish.ts';
import type { SizeTarget } from '../imaging/size.ts';
import type { ImageFormat, ImageMime } from '../imaging/sniff.ts';

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

/** An encoded picture, trusted by nobody. */
export interface RenderedImage {
  bytes: Buffer;
  mime: ImageMime;
}

/** Has the image made elsewhere, over the network. */
export interface UpstreamGenerator {
  readonly kind: 'upstream';
  readonly name: string;
  /** Rejects with a GeneratorError for whatever is the model's or the upstream's doing. */
  render(request: RenderRequest): Promise<RenderedImage>;
}

/** Edits the pixels itself. Its {@link LocalRender} runs in an image process, so here it is but a name. */
export interface LocalGenerator {
  readonly kind: 'local';
  readonly name: LocalName;
}
export type LocalName = 'preview' | 'instant';

export type Generator = UpstreamGenerator | LocalGenerator;

/** What a local generator is asked for: the whole way from the client's bytes to those of the result. */
export interface LocalRequest {
  /** What the client sent, as it was stored. */
  image: Buffer;
  tool: string;
  settings: Readonly<Record<string, string>>;
  target: SizeTarget;
  format: ImageFormat;
  watermark: boolean;
}

/** Rejects with an ImageError for whatever is wrong with the image. */
export type LocalRender = (request: LocalRequest) => Promise<FinishedResult>;
