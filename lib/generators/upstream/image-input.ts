import type { UpstreamRequest } from '../port.ts';
import { askedSize } from './asked-size.ts';
import { fillTemplate } from './template.ts';

/**
 * Input of a model whose fields are configuration: the prompt, the image as a data URI, and the
 * operator's own fields.
 * @param imageField the field of the image; with `[]` at its end it takes a list
 * @param fields JSON with the placeholders `{{width}}` and `{{height}}`
 */
export function imageInput(request: UpstreamRequest, imageField: string, fields: string): object {
  const { instruction, image, mime } = request;
  const uri = `data:${mime};base64,${image.toString('base64')}`;
  const isList = imageField.endsWith('[]');
  const size = askedSize(request, { multiple: 16, mostPixels: 4_000_000 });
  return {
    ...(fillTemplate(JSON.parse(fields), { ...size }) as object),
    prompt: instruction,
    [isList ? imageField.slice(0, -2) : imageField]: isList ? [uri] : uri,
  };
}
