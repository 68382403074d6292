export type Rgb = readonly [red: number, green: number, blue: number];

/** The colour at a share of the way through the colours, which are evenly spaced. */
export function gradientAt(colours: readonly Rgb[], share: number): Rgb {
  const place = Math.min(1, Math.max(0, share)) * (colours.length - 1);
  const index = Math.min(colours.length - 2, Math.floor(place));
  return mixed(colours[index] ?? BLACK, colours[index + 1] ?? BLACK, place - index);
}

const BLACK: Rgb = [0, 0, 0];

const mixed = (from: Rgb, to: Rgb, share: number): Rgb => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];
