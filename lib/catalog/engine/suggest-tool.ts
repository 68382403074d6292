import { LONGEST, likelyName } from './suggest.ts';

/** Words that callers send, and the slugs they probably mean, most likely first. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map([
  ['twilight', ['day-to-dusk-exterior', 'day-to-dusk']],
  ['furnish', ['virtual-staging']],
  ['vacant', ['empty-your-space']],
  ['unstage', ['empty-your-space']],
  ['redesign', ['virtual-renovation']],
  ['paint', ['wall-color-change']],
  ['enlarge', ['image-upscaling']],
  ['superresolution', ['image-upscaling']],
  ['denoise', ['noise-reduction']],
  ['whitebalance', ['color-correction']],
  ['cleanup', ['declutter']],
  ['erase', ['item-removal']],
  ['inpaint', ['item-removal']],
  ['facade', ['exterior-renovation']],
  ['grass', ['lawn-enhancement']],
  ['garden', ['landscaping']],
  ['christmas', ['festive-flip']],
  ['winter', ['seasonal-changes']],
]);

/** Words are compared by their first letters, so that `remove` is near `removal`. */
const STEM = 4;
const SHORTEST_WORD = 3;

/** The slug that an unknown one probably means, if any is similar. */
export function likelySlug(sent: string, slugs: readonly string[]): string | undefined {
  return likelyName(sent, slugs, MEANT) ?? mostShared(sent, slugs);
}

/** The slug with most words of the name: `remove-watermark` means `watermark-removal`. */
function mostShared(sent: string, slugs: readonly string[]): string | undefined {
  if (sent.length > LONGEST) return undefined;
  const stems = stemsOf(sent);
  const common = (slug: string) => stemsOf(slug).filter((stem) => stems.includes(stem)).length;
  const ranked = slugs.map((slug) => ({ slug, shared: common(slug) })).sort((a, b) => b.shared - a.shared);
  return ranked.find(({ shared }) => shared > 0)?.slug;
}

function stemsOf(name: string): string[] {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  return words.filter((word) => word.length >= SHORTEST_WORD).map((word) => word.slice(0, STEM));
}
