import { findTool } from '../../catalog/catalog.ts';
import type { Caption } from '../../imaging/caption.ts';
import type { Settings } from './operation.ts';

const MOST_OPTIONS = 4;
/** In characters; free text can be much longer. */
const LONGEST_VALUE = 60;

/** Says which tool would have done what, and that it was not done. */
export function captionOf(tool: string, settings: Settings): Caption {
  const options = Object.entries(settings)
    .filter(([, value]) => value !== 'false' && value !== '')
    .slice(0, MOST_OPTIONS)
    .map(([key, value]) => (value === 'true' ? words(key) : `${words(key)} ${shortened(value)}`));
  const list = options.length > 0 ? `: ${options.join(', ')}` : '';
  return { title: `Preview of ${findTool(tool)?.title ?? tool}${list}.`, note: 'No model is configured.' };
}

/** `roomType` as `room type`. */
const words = (camelCase: string) => camelCase.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

function shortened(value: string): string {
  const text = /^[a-z0-9-]+$/.test(value) ? value.replaceAll('-', ' ') : value;
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).trimEnd()}...` : text;
}
