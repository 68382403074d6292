import type { LocalRender } from '../../lib/generators/port.ts';
import { finishResult } from '../../lib/imaging/finish.ts';
import { openEncoded } from '../../lib/imaging/libvips.ts';

/** Resizes its input and changes nothing else. Every result costs at least this much. */
export const renderInstantly: LocalRender = async ({ image, target, format, watermark }) => {
  const { size: inputSize } = await openEncoded(image);
  return finishResult(image, { ...target, inputSize, format, watermark });
};
