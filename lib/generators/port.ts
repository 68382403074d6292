import type { UpstreamTask } from '../domain/generator-call.ts';
import type { ImageFormat } from '../domain/records.ts';
import type { FinishedResult } from '../imaging/finish.ts';
import type { SizeTarget } from '../imaging/size.ts';
import type { ImageMime } from '../imaging/sniff.ts';

/** What is sent to an upstream to create one image. */
export interface UpstreamRequest {
  /** The job's UUID: the id of the task where the caller may choose it. */
  key: string;
  /** Identifies the account to an upstream's abuse monitoring without naming it. */
  accountTag: string;
  /** Slug of the tool. */
  tool: string;
  /** The prompt, in plain English. */
  instruction: string;
  /**
   * The prepared input: an upright sRGB JPEG without metadata; `width` and `height` are its size in
   * pixels.
   */
  image: Buffer;
  mime: ImageMime;
  width: number;
  height: number;
  /** The size to aim for. The caller resizes the result to exactly this size. */
  target: SizeTarget;
  /**
   * Aborts a call that returns the image itself. The call may be charged, so it is aborted only if
   * nobody needs it.
   */
  signal: AbortSignal;
}

/** One render by an upstream, which submits at most once. */
export interface UpstreamRender {
  /** As in the request, which a resumed task does not have. No message quotes it. */
  instruction: string;
  /** Aborts the render. A later attempt resumes its task, or the end of the job cancels it. */
  signal: AbortSignal;
  /** The task of an earlier attempt: it is resumed, and nothing is submitted. */
  resume?: RecordedTask;
  /**
   * Prepares the input and records the call. Must be awaited once, right before the call is sent. A
   * generator that gives up before it sends rejects with NotSent. The request has the bytes of an
   * image: do not keep it while the task runs.
   */
  request(): Promise<UpstreamRequest>;
  /**
   * Must be awaited as soon as the upstream has accepted the task, so that a crash does not pay for
   * it twice.
   */
  onSubmitted(task: UpstreamTask): Promise<void>;
}

export interface RecordedTask {
  task: UpstreamTask;
  /**
   * When it was submitted, in milliseconds of the monotonic clock of this process,
   * `performance.now()`.
   */
  since: number;
}

/** An encoded image. Untrusted: it is decoded and encoded again. */
export interface RenderedImage {
  bytes: Buffer;
  /** What the upstream charges, in US dollars; null when it does not say. */
  costUsd: number | null;
}

/** Renders over the network, at a model provider. */
export interface UpstreamGenerator {
  readonly kind: 'upstream';
  readonly name: string;
  readonly model: string;
  /** Whether the upstream charges for calls. */
  readonly charges: boolean;
  /**
   * The only ratios of width to height that it returns, such as `3:2`. An input of another ratio is
   * padded.
   */
  readonly ratios?: readonly string[];
  /**
   * Absent if a call returns the image itself. If the caller is gone, nothing is left of such a
   * call.
   */
  readonly tasks?: UpstreamTasks;
  /** Rejects with a GeneratorError for every failure of the model or the upstream. */
  render(render: UpstreamRender): Promise<RenderedImage>;
}

/** The tasks of an upstream, which go on without their caller. */
export interface UpstreamTasks {
  /**
   * Asks the upstream to stop a task; absent if it cannot.
   * @throws GeneratorError `unavailable`; with `mayBeCharged` when the address for cancelling
   * cannot be called
   */
  cancel?(task: UpstreamTask): Promise<void>;
}

/**
 * Edits the pixels itself. Its {@link LocalRender} runs in an image process, which looks it up by
 * name.
 */
export interface LocalGenerator {
  readonly kind: 'local';
  readonly name: LocalName;
}
export type LocalName = 'preview';

export type Generator = UpstreamGenerator | LocalGenerator;

/** Input of a local generator, which decodes, edits and encodes in one step. */
export interface LocalRequest {
  /** The client's image as stored. */
  image: Buffer;
  tool: string;
  settings: Readonly<Record<string, string>>;
  target: SizeTarget;
  format: ImageFormat;
  /** The words of the watermark; null draws none. */
  watermark: string | null;
}

/** Rejects with an ImageError when the image cannot be used. */
export type LocalRender = (request: LocalRequest) => Promise<FinishedResult>;
