import type { ImageFormat } from '../domain/records.ts';
import type { FinishedResult } from '../imaging/finish.ts';
import type { SizeTarget } from '../imaging/size.ts';
import type { ImageMime } from '../imaging/sniff.ts';

/** What is needed to resume a prediction at an upstream: plain JSON, stored outside the process. */
export type AttemptState = Readonly<Record<string, string>>;

export interface RenderRequest {
  /** Slug of the tool. */
  tool: string;
  /** Settings as resolved by the catalogue, defaults included. */
  settings: Readonly<Record<string, string>>;
  /** The prompt, in plain English. */
  instruction: string;
  /** The prepared input: upright, opaque sRGB, no metadata; `width` and `height` are its size in pixels. */
  image: Buffer;
  mime: ImageMime;
  width: number;
  height: number;
  /** The size to aim for. The caller resizes the result to exactly this size. */
  target: SizeTarget;
  /** Aborts the render; it then rejects with the signal's reason. */
  signal: AbortSignal;
  /** The state that an earlier attempt of the same job passed to `onSubmitted`. */
  resume?: AttemptState;
  /** Must be called as soon as an upstream has accepted the job, so that a crash does not pay for it twice. */
  onSubmitted: (state: AttemptState) => void;
}

/** An encoded image. Untrusted: it is decoded and encoded again. */
export interface RenderedImage {
  bytes: Buffer;
  mime: ImageMime;
}

/** Renders over the network, at a model provider. */
export interface UpstreamGenerator {
  readonly kind: 'upstream';
  readonly name: string;
  /** Rejects with a GeneratorError for every failure of the model or the upstream. */
  render(request: RenderRequest): Promise<RenderedImage>;
}

/** Edits the pixels itself. Its {@link LocalRender} runs in an image process, which looks it up by name. */
export interface LocalGenerator {
  readonly kind: 'local';
  readonly name: LocalName;
}
export type LocalName = 'preview' | 'instant';

export type Generator = UpstreamGenerator | LocalGenerator;

/** Input of a local generator, which decodes, edits and encodes in one step. */
export interface LocalRequest {
  /** The client's image as stored. */
  image: Buffer;
  tool: string;
  settings: Readonly<Record<string, string>>;
  target: SizeTarget;
  format: ImageFormat;
  watermark: boolean;
}

/** Rejects with an ImageError when the image cannot be used. */
export type LocalRender = (request: LocalRequest) => Promise<FinishedResult>;
