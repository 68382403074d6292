import { drawCaption } from '../../imaging/caption.ts';
import { ImageError } from '../../imaging/errors.ts';
import { openEncoded, type RawImage, rejectAsDamaged, toRaw } from '../../imaging/libvips.ts';
import { longestSide, scaleToLongestSide } from '../../imaging/size.ts';
import { GeneratorError } from '../errors.ts';
import type { Generator, RenderedImage, RenderRequest } from '../port.ts';
import type { Settings } from './operation.ts';
import { OPERATIONS } from './operations.ts';

/** The built-in generator: needs no upstream, does in earnest what libvips can do, and says so where it can't. */
export function createPreviewGenerator(): Generator {
  return { name: 'preview', render };
}

async function render(request: RenderRequest): Promise<RenderedImage> {
  const { target, tool, settings, signal } = request;
  signal.throwIfAborted();
  if (target.neverSmaller && longestSide(request) >= target.longestSide) {
    return { bytes: request.image, mime: request.mime };
  }
  const image = await decodeAtTarget(request);
  signal.throwIfAborted();
  const operation = OPERATIONS.get(tool);
  if (operation === undefined) await drawCaption(image, captionOf(tool, settings));
  const edited = operation ? await operation(image, settings, signal) : image;
  signal.throwIfAborted();
  return edited;
}

async function decodeAtTarget({ image, target }: RenderRequest): Promise<RawImage> {
  try {
    const { pipeline, size } = await openEncoded(image);
    const wanted = scaleToLongestSide(size, target.longestSide);
    return await toRaw(pipeline.resize({ ...wanted, fit: 'fill' })).catch(rejectAsDamaged);
  } catch (cause) {
    if (!(cause instanceof ImageError)) throw cause;
    throw new GeneratorError({ kind: 'refused', reason: 'invalid_input' }, cause.message, { cause });
  }
}

function captionOf(tool: string, settings: Settings): string {
  const options = Object.entries(settings).map(([key, value]) => `${spaced(key)}: ${value}`);
  return ['Preview', tool, options.join(', ')].filter(Boolean).join(' · ');
}

const spaced = (camelCase: string) => camelCase.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
