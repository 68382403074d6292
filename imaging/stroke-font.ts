/**
 * Capitals, digits and signs as strokes, so that drawing text needs no font file and no SVG of a caller's making.
 * A point is two digits, x then y (baseline 1, capitals up to 9). `~` rounds the corners of an open stroke, `o`
 * closes and rounds it; strokes are parted by `|`. A stroke of one point is a dot.
 */
const GLYPHS: Readonly<Record<string, string>> = {
  A: '01 39 61|14 54',
  B: '01 09|~09 39 59 55 35 05|~05 35 65 61 31 01',
  C: '~67 69 39 09 05 01 31 61 63',
  D: '01 09|~09 29 69 65 61 21 01',
  E: '59 09 01 51|05 45',
  F: '59 09 01|05 45',
  G: '~67 69 39 09 05 01 31 61 65|65 45',
  H: '01 09|61 69|05 65',
  I: '01 09',
  J: '~49 45 41 21 01 03',
  K: '01 09|69 03|25 61',
  L: '09 01 51',
  M: '01 09 44 89 81',
  N: '01 09 61 69',
  O: 'o39 69 65 61 31 01 05 09',
  P: '01 09|~09 39 69 65 35 05',
  Q: 'o39 69 65 61 31 01 05 09|43 70',
  R: '01 09|~09 39 69 65 35 05|35 61',
  S: '~67 69 39 09 05 35 65 61 31 01 03',
  T: '09 69|39 31',
  U: '~09 05 01 31 61 65 69',
  V: '09 31 69',
  W: '09 21 48 61 89',
  X: '01 69|09 61',
  Y: '09 35 69|35 31',
  Z: '09 69 01 61',
  0: 'o29 49 45 41 21 01 05 09',
  1: '07 29 21|01 41',
  2: '~07 09 29 49 46 01|01 41',
  3: '~07 09 29 49 45 25|~25 45 41 21 01 03',
  4: '31 39 03 43',
  5: '49 09 05|~05 25 45 41 21 01 03',
  6: '~47 49 29 09 05 03|o25 45 43 41 21 01 03 05',
  7: '09 49 11',
  8: 'o29 49 47 45 25 05 07 09|o25 45 43 41 21 01 03 05',
  9: '~03 01 21 41 45 47|o29 49 47 45 25 05 07 09',
  '-': '05 35',
  '.': '01',
  ',': '11 00',
  ':': '02|06',
  '/': '00 49',
  '(': '~29 07 03 21',
  ')': '~09 27 23 01',
  '#': '11 29|41 59|04 54|06 56',
  '+': '05 45|23 27',
  '=': '04 44|06 46',
  '!': '09 04|01',
  '?': '~07 09 29 49 46 25 23|21',
  "'": '09 07',
  '"': '09 07|29 27',
  '%': '01 69|18|52',
  _: '00 60',
  '·': '05',
};

export interface Point {
  x: number;
  y: number;
}
/** Points in font units: x to the right, y up from the baseline. */
export type Stroke = readonly Point[];
export interface Glyph {
  width: number;
  strokes: readonly Stroke[];
}

export const CAPITAL_HEIGHT = 8;
const SPACE: Glyph = { width: 3, strokes: [] };
const UNKNOWN = parseGlyph('01 09 49 41 01');
const FONT: ReadonlyMap<string, Glyph> = new Map([
  [' ', SPACE],
  ...Object.entries(GLYPHS).map(([character, data]) => [character, parseGlyph(data)] as const),
]);

/** Any text: accents are dropped, small letters become capitals, and what the font lacks is a box. */
export function toGlyphs(text: string): Glyph[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[\s\p{C}]+/gu, ' ')
    .toUpperCase();
  return Array.from(plain, (character) => FONT.get(character) ?? UNKNOWN);
}

function parseGlyph(data: string): Glyph {
  const strokes = data.split('|').map(parseStroke);
  return { width: Math.max(...strokes.flat().map(({ x }) => x)), strokes };
}

function parseStroke(data: string): Stroke {
  const closed = data.startsWith('o');
  const points = data
    .replace(/^[~o]/, '')
    .split(' ')
    .map((pair) => ({ x: Number(pair[0]), y: Number(pair[1]) - 1 }));
  if (!closed && !data.startsWith('~')) return points;
  return roundCorners(roundCorners(roundCorners(points, closed), closed), closed);
}

/** One round of Chaikin's corner cutting; three of them are smooth enough at any size we draw. */
function roundCorners(points: Stroke, closed: boolean): Stroke {
  const ends = closed ? [...points, ...points.slice(0, 1)] : points;
  const cut = ends.slice(1).flatMap((to, index) => {
    const from = ends[index] ?? to;
    return [between(from, to, 0.25), between(from, to, 0.75)];
  });
  return closed ? [...cut, ...cut.slice(0, 1)] : [...points.slice(0, 1), ...cut, ...points.slice(-1)];
}

function between(from: Point, to: Point, share: number): Point {
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
