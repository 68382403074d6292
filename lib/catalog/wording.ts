/**
 * What the model reads in place of shared values: the trade's words, with what they mean where that
 * is open.
 */

/** Styles of rooms and furniture; follows "in". */
export const STYLE_WORDING = {
  modern: 'modern style (clean lines, low profiles, neutral tones with a few dark accents)',
  traditional: 'traditional style (classic silhouettes, rich wood, symmetry, warm tones)',
  farmhouse: 'farmhouse style (solid rustic wood, painted fronts, black metal details, soft white tones)',
  scandinavian: 'Scandinavian style (pale wood, white and soft gray, simple shapes, wool and linen)',
  'mid-century-modern':
    'mid-century modern style (walnut and teak, slim tapered forms, organic curves, muted mustard, olive and rust)',
  coastal: 'coastal style (whitewashed and light wood, linen, white, sand and soft blue)',
  industrial: 'industrial style (dark metal, reclaimed wood, leather, muted earth tones)',
  luxury: 'luxury style (marble, velvet, polished metal, refined details, deep and creamy tones)',
  minimalist: 'minimalist style (plain pure forms, uncluttered surfaces, white, beige and pale gray)',
  bohemian: 'bohemian style (rattan and carved wood, layered textiles, earthy and jewel tones)',
  japandi: 'Japandi style (low pale and dark-stained wood, linen and paper, warm neutrals, calm empty space)',
  'art-deco': 'Art Deco style (bold geometry, curved silhouettes, brass, lacquer, velvet in jewel tones)',
  mediterranean: 'Mediterranean style (warm plaster tones, terracotta, wrought iron, carved wood, linen)',
} as const;

/** The same styles for the outside of a building; follows "in". */
export const FACADE_WORDING = {
  modern: 'modern style (smooth planes, crisp edges, light render with dark accents, slim metal details)',
  traditional: 'traditional style (brick or painted lap siding, classic trim, a paneled front door)',
  farmhouse: 'farmhouse style (white board-and-batten siding, black trim and lamps, a warm wood front door)',
  scandinavian: 'Scandinavian style (vertical timber cladding, restrained trim, muted natural colors)',
  'mid-century-modern':
    'mid-century modern style (warm wood siding, stone or brick accents, horizontal lines, a front door in a bold color)',
  coastal: 'coastal style (white or pale gray shingle siding, white trim, soft blue accents)',
  industrial: 'industrial style (dark metal cladding, brick or fair-faced concrete, black steel details)',
  luxury:
    'luxury style (natural stone and fine render, bronze details, a statement front door, refined lamps)',
  minimalist: 'minimalist style (unbroken white or pale gray render, concealed details, a flush front door)',
  bohemian: 'bohemian style (warm earthy render, natural wood, handmade tile accents, a colorful front door)',
  japandi: 'Japandi style (charred and pale timber cladding, natural stone, calm plain surfaces)',
  'art-deco': 'Art Deco style (smooth stucco, stepped geometric relief, brass details)',
  mediterranean:
    'Mediterranean style (warm white or ocher stucco, stone trim, wrought iron, a solid wood door)',
} as const;

/** Rooms; follows "is" or "as". */
export const ROOM_WORDING = {
  'living-room': 'a living room',
  bedroom: 'a bedroom',
  kitchen: 'a kitchen',
  'dining-room': 'a dining room',
  bathroom: 'a bathroom',
  'home-office': 'a home office',
  'kids-room': "a child's bedroom",
  studio: 'a studio apartment with areas for living and sleeping',
} as const;

export const PALETTE_WORDING = {
  neutral: 'neutral (white, beige, greige and gray)',
  warm: 'warm (cream, camel, rust and ocher)',
  cool: 'cool (white, soft gray, blue and blue-green)',
  earthy: 'earthy (clay, olive, sand and brown)',
  monochrome: 'monochrome (black, white and gray)',
} as const;

export const INTENSITY_WORDING = {
  subtle: 'subtle, hardly noticeable next to the original',
  balanced: 'clear but natural',
  strong: 'strong, short of looking artificial',
} as const;

export const FINISH_WORDING = {
  chrome: 'polished chrome',
  'gold-brass': 'warm gold brass',
  'oil-rubbed-bronze': 'oil-rubbed bronze',
} as const;

/** Painted colors and wood; follows a colon. */
export const WOOD_WORDING = {
  'natural-wood': 'natural light wood with visible grain',
  'dark-wood': 'dark stained wood with visible grain',
  white: 'painted white',
  black: 'painted black',
  gray: 'painted gray',
  navy: 'painted navy blue',
  cream: 'painted cream',
  'sage-green': 'painted sage green',
  'matte-black': 'painted matte black',
} as const;

export const TRUE_SCALE = 'at real-world size, in correct perspective, with contact shadows';
