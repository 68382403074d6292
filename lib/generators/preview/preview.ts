import { finishResult } from '../../imaging/finish.ts';
import { openEncoded, rejectAsDamaged, toRaw } from '../../imaging/libvips.ts';
import { longestSide, scaleToLongestSide, targetLongestSide } from '../../imaging/size.ts';
import type { LocalRender } from '../port.ts';
import { captionOf } from './caption.ts';
import { BEFORE_ENLARGING, OPERATIONS } from './operations.ts';

/**
 * The built-in generator: edits the image where the tool is classical image editing and the image has what it needs;
 * otherwise resizes it and says so in a caption.
 */
export const renderPreview: LocalRender = async (request) => {
  const { image, target, format, watermark, tool, settings } = request;
  const { pipeline, size: inputSize } = await openEncoded(image);
  const finish = { ...target, inputSize, format, watermark };
  // An upscale of an image that is large enough already only has to be encoded, without a raw copy of its pixels.
  if (target.neverSmaller && longestSide(inputSize) >= target.longestSide) return finishResult(image, finish);
  const size = scaleToLongestSide(inputSize, targetLongestSide(target, inputSize, format));
  const early = BEFORE_ENLARGING.has(tool) && size.width > inputSize.width;
  const sized = await toRaw(early ? pipeline : pipeline.resize({ ...size, fit: 'fill' })).catch(
    rejectAsDamaged,
  );
  const edited = await OPERATIONS.get(tool)?.(sized, settings);
  if (edited !== undefined) return finishResult(edited, finish);
  return finishResult(sized, { ...finish, caption: captionOf(tool, settings) });
};
