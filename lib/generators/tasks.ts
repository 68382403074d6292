import { type PrepareOptions, prepareInput } from '../imaging/prepare.ts';
import type { ImagePool } from '../imaging/processes/pool.ts';
import { finishUpstream, type UpstreamFinishOptions } from '../imaging/upstream-result.ts';
import type { LocalName, LocalRender, LocalRequest } from './port.ts';
import { renderPreview } from './preview/preview.ts';

const LOCAL: Readonly<Record<LocalName, LocalRender>> = { preview: renderPreview };

export interface ImageTaskSettings {
  /** The words of the watermark. */
  watermarkText: string;
}

/**
 * The options of a task as the renderer sends them. It says whether to draw a watermark; the
 * process has its words.
 */
export type TaskRequest<T extends { watermark: string | null }> = Omit<T, 'watermark'> & {
  watermark: boolean;
};

/** The tasks of an image process: all work on pixels. */
export function createImageTasks({ watermarkText }: ImageTaskSettings) {
  const worded = <T extends { watermark: boolean }>(asked: T) => ({
    ...asked,
    watermark: asked.watermark ? watermarkText : null,
  });
  return {
    prepare: ({ image, options }: { image: Buffer; options: PrepareOptions }) => prepareInput(image, options),
    finishUpstream: ({ image, options }: { image: Buffer; options: TaskRequest<UpstreamFinishOptions> }) =>
      finishUpstream(image, worded(options)),
    renderLocally: ({ generator, request }: { generator: LocalName; request: TaskRequest<LocalRequest> }) =>
      LOCAL[generator](worded(request)),
  };
}

export type ImageTasks = ImagePool<ReturnType<typeof createImageTasks>>;
