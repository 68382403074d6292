import { finishResult } from '../imaging/finish.ts';
import { openEncoded } from '../imaging/libvips.ts';
import type { LocalRender } from './port.ts';

/** Returns its input at the size of the result. For benchmarks, where the service and not a model is measured; never a default. */
export const renderInstantly: LocalRender = async ({ image, target, format, watermark }) => {
  const { size: inputSize } = await openEncoded(image);
  return finishResult(image, { ...target, inputSize, format, watermark });
};
