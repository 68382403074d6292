import sharp, { type Blend, type Sharp } from 'sharp';
import { openRaw, type RawImage, type Size, toRaw } from '../../imaging/libvips.ts';

export type Rgb = readonly [red: number, green: number, blue: number];

/** Luma weights of Rec. 601, which JPEG uses. */
export const LUMA: Rgb = [0.299, 0.587, 0.114];

/** Blends a layer over an image of the same size. */
export function blend(base: Sharp, layer: RawImage, mode: Blend): Promise<RawImage> {
  const { width, height, pixels } = layer;
  return toRaw(
    base.composite([{ input: pixels, raw: { width, height, channels: 3 }, blend: mode }]).removeAlpha(),
  );
}

/** Soft light (W3C Compositing, 10.1.9) by `(level of the layer << 8) | level of the image`. */
const SOFT_LIGHT = Uint8Array.from({ length: 256 * 256 }, (_, index) => {
  const [over, under] = [(index >> 8) / 255, (index & 255) / 255];
  const curve = under <= 0.25 ? ((16 * under - 12) * under + 4) * under : Math.sqrt(under);
  const change = over <= 0.5 ? under * (1 - under) : curve - under;
  return Math.round(255 * (under + (2 * over - 1) * change));
});

/** Blends in soft light and overwrites the layer with the result; libvips, in floats, takes four times as long. */
export function softLight(base: RawImage, layer: RawImage): RawImage {
  const [from, to] = [base.pixels, layer.pixels];
  for (let at = 0; at < to.length; at++) to[at] = SOFT_LIGHT[((to[at] ?? 0) << 8) | (from[at] ?? 0)] ?? 0;
  return layer;
}

/**
 * A blurred greyscale copy, as a map of the light, with `slope` and `offset` applied to its levels (0 to 255). The
 * blur spans about a fortieth of the image, so a thumbnail is precise enough.
 */
export async function lightMap(image: RawImage, slope: number, offset: number): Promise<RawImage> {
  const thumbnail = openRaw(image).resize({ width: 160, height: 160, fit: 'inside' });
  const grey = await toRaw(thumbnail.recomb([[...LUMA], [...LUMA], [...LUMA]]));
  const smooth = await toRaw(openRaw(grey).blur(4).linear(slope, offset));
  return toRaw(
    openRaw(smooth).resize({ width: image.width, height: image.height, fit: 'fill', kernel: 'cubic' }),
  );
}

/**
 * A layer for `multiply`: the colours of `layer` where the image is bright, white elsewhere, fading between the two
 * levels. Brightness is that of the blue channel, which separates daylight from lamps and warm walls.
 */
export async function overDaylight(
  image: RawImage,
  layer: RawImage,
  [from, to]: readonly [number, number],
): Promise<RawImage> {
  const { width, height } = image;
  const slope = 255 / (to - from);
  const blue = await openRaw(image).extractChannel(2).raw().toBuffer();
  const mask = await sharp(blue, { raw: { width, height, channels: 1 } })
    .blur(1.5)
    .linear(slope, -slope * from)
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const masked = openRaw(layer).joinChannel(mask, { raw: { width, height, channels: 1 } });
  const pixels = await masked.raw().toBuffer();
  return toRaw(sharp(pixels, { raw: { width, height, channels: 4 } }).flatten({ background: '#ffffff' }));
}

/** A linear gradient through the colours, from the top edge to the bottom. */
export function verticalGradient({ width, height }: Size, colours: readonly Rgb[]): Promise<RawImage> {
  const column = { pixels: Buffer.from(colours.flat()), width: 1, height: colours.length };
  return toRaw(openRaw(column).resize({ width, height, fit: 'fill', kernel: 'linear' }));
}
