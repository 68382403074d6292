import { type FinishOptions, finishResult } from '../imaging/finish.ts';
import { type PrepareOptions, prepareInput } from '../imaging/prepare.ts';
import type { ImagePool } from '../imaging/processes/pool.ts';
import { renderInstantly } from './instant.ts';
import type { LocalName, LocalRender, LocalRequest } from './port.ts';
import { renderPreview } from './preview/preview.ts';

const LOCAL: Readonly<Record<LocalName, LocalRender>> = { preview: renderPreview, instant: renderInstantly };

/** The tasks of an image process: all work on pixels. */
export const imageTasks = {
  prepare: ({ image, options }: { image: Buffer; options: PrepareOptions }) => prepareInput(image, options),
  finish: ({ image, options }: { image: Buffer; options: FinishOptions }) => finishResult(image, options),
  renderLocally: ({ generator, request }: { generator: LocalName; request: LocalRequest }) =>
    LOCAL[generator](request),
};

export type ImageTasks = ImagePool<typeof imageTasks>;
