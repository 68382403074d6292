/** Words that callers send, and the (ends of) keys they probably mean, most likely first. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map([
  ['prompt', ['customPrompt', 'description']],
  ['text', ['customPrompt', 'description']],
  ['instruction', ['customPrompt', 'description']],
  ['instructions', ['customPrompt', 'description']],
  ['custominstructions', ['customPrompt', 'description']],
  ['notes', ['description', 'customPrompt']],
  ['details', ['description', 'customPrompt']],
  ['size', ['resolution']],
  ['quality', ['resolution']],
  ['imagesize', ['resolution']],
  ['outputsize', ['resolution']],
  ['scale', ['resolution']],
  ['mode', ['furnitureMode', 'lightingMode', 'tier']],
  ['room', ['roomType']],
  ['space', ['roomType']],
  ['theme', ['style']],
  ['look', ['style']],
  ['object', ['objectType', 'removalItem']],
  ['item', ['objectType', 'removalItem', 'description']],
  ['furniture', ['objectType', 'furnishing', 'furnitureMode']],
  ['kind', ['type']],
  ['shade', ['tone', 'color']],
  ['variety', ['tone']],
  ['surface', ['material']],
  ['metal', ['finish']],
  ['strength', ['intensity']],
  ['amount', ['intensity']],
  ['angle', ['view', 'perspectiveAxis']],
  ['perspective', ['view', 'perspectiveAxis']],
  ['region', ['holidayRegion']],
  ['event', ['holiday']],
  ['occasion', ['holiday']],
  ['sky', ['skyType']],
  ['time', ['timeShift', 'timeOfDay']],
  ['weather', ['season', 'skyType']],
  ['existing', ['hasExisting', 'existingFurniture']],
]);

const SHORTEST_PART = 3;

/** Longer names get no suggestion: no key or slug is as long, even mistyped. */
export const LONGEST = 40;

/** The key that an unknown one probably means, if any is similar. */
export function likelyKey(sent: string, keys: readonly string[]): string | undefined {
  return likelyName(sent, keys, MEANT);
}

/**
 * The name that an unknown one probably means, if any is similar.
 * @param meant (ends of) names by other words for them, in lower case without punctuation
 */
export function likelyName(
  sent: string,
  keys: readonly string[],
  meant: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const name = sent.length > LONGEST ? '' : fold(sent);
  if (name === '') return undefined;
  const words = [name, ...(meant.get(name) ?? []).map(fold)];
  for (const word of words) {
    const found = keys.find((key) => fold(key) === word) ?? keys.find((key) => isPart(fold(key), word));
    if (found !== undefined) return found;
  }
  return nearest(name, keys);
}

function fold(key: string): string {
  return key
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replaceAll('colour', 'color');
}

function isPart(key: string, word: string): boolean {
  const shorter = Math.min(key.length, word.length);
  return shorter >= SHORTEST_PART && (key.endsWith(word) || word.endsWith(key));
}

function nearest(name: string, keys: readonly string[]): string | undefined {
  const near = keys
    .map((key) => ({ key, distance: editDistance(name, fold(key)) }))
    .filter(({ key, distance }) => distance <= Math.max(1, Math.floor(key.length / 3)));
  return near.sort((a, b) => a.distance - b.distance)[0]?.key;
}

/**
 * Optimal string alignment distance: an insertion, deletion, substitution or swap of neighbors
 * costs 1.
 */
export function editDistance(a: string, b: string): number {
  let secondLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(secondLast, j - 2) + 1 : changed;
      row.push(Math.min(changed, swapped, at(last, j) + 1, at(row, j - 1) + 1));
    }
    [secondLast, last] = [last, row];
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number) => row[index] ?? Number.POSITIVE_INFINITY;
