import { finishResult } from '../imaging/finish.ts';
import { openEncoded } from '../imaging/libvips.ts';
import type { LocalRender } from './port.ts';

/**
 * Resizes its input and changes nothing else. For benchmarks that measure the service rather than a
 * model.
 */
export const renderInstantly: LocalRender = async ({ image, target, format, watermark }) => {
  const { size: inputSize } = await openEncoded(image);
  return finishResult(image, { ...target, inputSize, format, watermark });
};
