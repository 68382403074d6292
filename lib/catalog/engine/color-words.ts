const HUES: readonly (readonly [below: number, name: string])[] = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [90, 'yellow-green'],
  [160, 'green'],
  [192, 'teal'],
  [250, 'blue'],
  [290, 'violet'],
  [345, 'pink'],
  [360, 'red'],
];

const GRAYS: readonly (readonly [below: number, name: string])[] = [
  [0.06, 'black'],
  [0.25, 'charcoal'],
  [0.45, 'dark gray'],
  [0.65, 'medium gray'],
  [0.95, 'light gray'],
];

interface Hsl {
  /** Degrees. */
  hue: number;
  /** 0 to 1, like lightness. */
  saturation: number;
  lightness: number;
}

/** A name for a `#RRGGBB` color, because image models read words more reliably than digits. */
export function colorWords(hex: string): string {
  const { hue, saturation, lightness } = toHsl(hex);
  if (lightness >= 0.95) return saturation < 0.1 ? 'white' : 'off-white';
  if (saturation < 0.1) return named(GRAYS, lightness) ?? 'white';
  const warm = hue >= 15 && hue < 60;
  if (warm && lightness > 0.7 && saturation < 0.6) return 'beige';
  if (warm && hue < 50 && lightness < 0.4) return lightness < 0.2 ? 'dark brown' : 'brown';
  const name = named(HUES, hue) ?? 'red';
  if (name === 'red' && lightness > 0.7) return 'light pink';
  const shade = lightness < 0.3 ? 'dark ' : lightness > 0.7 ? 'light ' : '';
  return `${shade}${saturation < 0.35 ? 'muted ' : ''}${name}`;
}

function named(table: readonly (readonly [number, string])[], value: number): string | undefined {
  return table.find(([below]) => value < below)?.[1];
}

function toHsl(hex: string): Hsl {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const max = Math.max(r, g, b);
  const range = max - Math.min(r, g, b);
  const lightness = max - range / 2;
  if (range === 0) return { hue: 0, saturation: 0, lightness };
  const sixth = max === r ? ((g - b) / range + 6) % 6 : max === g ? (b - r) / range + 2 : (r - g) / range + 4;
  return { hue: sixth * 60, saturation: range / (1 - Math.abs(2 * lightness - 1)), lightness };
}
