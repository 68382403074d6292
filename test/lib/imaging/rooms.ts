import sharp from 'sharp';
import { type GreyImage, referenceSize, toGrey, toReference } from '../../../lib/imaging/compare.ts';
import { configureLibvips, openEncoded, type RawImage } from '../../../lib/imaging/libvips.ts';

const SIZE = { width: 1200, height: 800 };

interface Room {
  /** How far the window has moved, as a share of the width. */
  windowMoved?: number;
  furnished?: boolean;
}

const FURNITURE = `
  <rect x="420" y="560" width="360" height="110" fill="#5b6b7c"/>
  <rect x="420" y="500" width="360" height="70" fill="#6d7f92"/>
  <ellipse cx="600" cy="730" rx="260" ry="40" fill="#8c5a4a"/>
  <rect x="820" y="420" width="14" height="240" fill="#2f2f2f"/>
  <path d="M780 420 L874 420 L850 350 L804 350 Z" fill="#efe2c0"/>`;

/** An empty room in perspective: walls, a window with a view, a door, floorboards, lamps. A PNG. */
export function drawRoom({ windowMoved = 0, furnished = false }: Room = {}): Promise<Buffer> {
  const boards = Array.from({ length: 13 }, (_, n) => {
    const x = n * 100;
    return `<line x1="${300 + x / 2}" y1="520" x2="${x * 1.4 - 240}" y2="800" stroke="#8a6440" stroke-width="4"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}">
    <rect width="1200" height="800" fill="#d9d4c9"/>
    <path d="M0 800 L300 520 L900 520 L1200 800 Z" fill="#b98d5f"/>${boards.join('')}
    <path d="M0 0 L300 160 L900 160 L1200 0 Z" fill="#f4f2ee"/>
    <path d="M0 0 L300 160 L300 520 L0 800 Z" fill="#bdb7aa"/>
    <path d="M1200 0 L900 160 L900 520 L1200 800 Z" fill="#c9c3b6"/>
    <g transform="translate(${windowMoved * SIZE.width} 0)">
      <rect x="380" y="220" width="200" height="190" fill="#ffffff"/>
      <rect x="392" y="232" width="82" height="166" fill="#7fb2e5"/>
      <rect x="486" y="232" width="82" height="166" fill="#7fb2e5"/>
      <rect x="392" y="340" width="82" height="58" fill="#3f7d3a"/>
      <rect x="486" y="340" width="82" height="58" fill="#3f7d3a"/>
    </g>
    <rect x="700" y="270" width="120" height="250" fill="#6b4a2f"/>
    <circle cx="805" cy="400" r="8" fill="#e8c860"/>
    <circle cx="500" cy="80" r="16" fill="#4a4a4a"/><circle cx="700" cy="80" r="16" fill="#4a4a4a"/>
    <path d="M70 260 L220 300 L220 440 L70 470 Z" fill="#7c3f3f"/>
    ${furnished ? FURNITURE : ''}
  </svg>`;
  return sharp(Buffer.from(svg)).removeAlpha().png().toBuffer();
}

/**
 * The middle of an image, enlarged to its full size: what a camera closer to the wall would show.
 */
export async function zoom(image: Buffer, factor: number): Promise<Buffer> {
  const [width, height] = [SIZE.width, SIZE.height].map((side) => Math.round(side / factor));
  if (width === undefined || height === undefined) throw new Error('An image has two sides.');
  const [left, top] = [Math.floor((SIZE.width - width) / 2), Math.floor((SIZE.height - height) / 2)];
  return sharp(image)
    .extract({ left, top, width, height })
    .resize({ ...SIZE, fit: 'fill' })
    .png()
    .toBuffer();
}

/**
 * As results are compared. Blocks the decoders that a service does not need, SVG among them: draw
 * first.
 */
export async function copyOf(image: Buffer): Promise<RawImage> {
  configureLibvips();
  const { pipeline, size } = await openEncoded(image);
  return toReference(pipeline, referenceSize(size));
}

export const greyOf = async (image: Buffer): Promise<GreyImage> => toGrey(await copyOf(image));
