import { drawCaption } from '../../imaging/caption.ts';
import { finishResult } from '../../imaging/finish.ts';
import { openEncoded, type RawImage, rejectAsDamaged, toRaw } from '../../imaging/libvips.ts';
import { longestSide, scaleToLongestSide, targetLongestSide } from '../../imaging/size.ts';
import type { LocalRender, LocalRequest } from '../port.ts';
import type { Settings } from './operation.ts';
import { OPERATIONS } from './operations.ts';

/** The built-in generator: edits the image where libvips can do what the tool promises, else adds a caption. */
export const renderPreview: LocalRender = async (request) => {
  const { image, target, format, watermark } = request;
  const { pipeline, size: inputSize } = await openEncoded(image);
  const finish = { ...target, inputSize, format, watermark };
  // An upscale of an image that is large enough already only has to be encoded, without a raw copy of its pixels.
  if (target.neverSmaller && longestSide(inputSize) >= target.longestSide) return finishResult(image, finish);
  const size = scaleToLongestSide(inputSize, targetLongestSide(target, inputSize, format));
  const sized = await toRaw(pipeline.resize({ ...size, fit: 'fill' })).catch(rejectAsDamaged);
  return finishResult(await edit(sized, request), finish);
};

async function edit(image: RawImage, { tool, settings }: LocalRequest): Promise<RawImage> {
  const operation = OPERATIONS.get(tool);
  if (operation !== undefined) return operation(image, settings);
  await drawCaption(image, captionOf(tool, settings));
  return image;
}

function captionOf(tool: string, settings: Settings): string {
  const options = Object.entries(settings).map(([key, value]) => `${spaced(key)}: ${value}`);
  return ['Preview', tool, options.join(', ')].filter(Boolean).join(' · ');
}

const spaced = (camelCase: string) => camelCase.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
