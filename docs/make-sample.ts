/** Draws the sample photo of the walk-through: `npx tsx docs/make-sample.ts`. No camera, so no licence to mind. */
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const WIDTH = 1600;
const HEIGHT = 1067;
const VANISHING = { x: 830, y: 450 };
/** Edges of the back wall. */
const BACK = { left: 420, right: 1330, top: 175, bottom: 720 };

const rect = (x: number, y: number, w: number, h: number, fill: string, more = '') =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${fill}" ${more}/>`;
const shape = (points: string, fill: string, more = '') =>
  `<polygon points="${points}" fill="${fill}" ${more}/>`;

function gradient(id: string, from: string, to: string, direction = 'x1="0" y1="0" x2="0" y2="1"'): string {
  return `<linearGradient id="${id}" ${direction}><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`;
}

function definitions(): string {
  const along = 'x1="0" y1="0" x2="1" y2="0"';
  return `<defs>
    ${gradient('wall', '#e4ddd0', '#cfc5b4')}${gradient('left', '#b9ae9c', '#d8cfbf', along)}
    ${gradient('right', '#d3c9b8', '#b3a794', along)}${gradient('ceiling', '#f7f5f0', '#d6cfc1')}
    ${gradient('floor', '#a9825a', '#8a6440')}${gradient('sky', '#bcdcf2', '#f3f4ea')}
    ${gradient('sofa', '#6f8290', '#52636f')}${gradient('cushion', '#8296a3', '#677a87')}
    ${gradient('rug', '#e6ddcd', '#cdbfa8')}${gradient('shade', '#fff3d6', '#f2d49a')}
    <radialGradient id="glow"><stop offset="0" stop-color="#ffdf9e" stop-opacity=".75"/><stop offset="1" stop-color="#ffdf9e" stop-opacity="0"/></radialGradient>
    <radialGradient id="vignette" r=".75"><stop offset=".6" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#1a120a" stop-opacity=".42"/></radialGradient>
    <filter id="soft" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="14"/></filter>
    <filter id="haze" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="5"/></filter>
  </defs>`;
}

function shell(): string {
  const { left, right, top, bottom } = BACK;
  const skirting = 16;
  return [
    shape(`0,0 ${WIDTH},0 ${right},${top} ${left},${top}`, 'url(#ceiling)'),
    shape(`0,0 ${left},${top} ${left},${bottom} 0,${HEIGHT - 60}`, 'url(#left)'),
    shape(`${WIDTH},0 ${right},${top} ${right},${bottom} ${WIDTH},${HEIGHT - 100}`, 'url(#right)'),
    rect(left, top, right - left, bottom - top, 'url(#wall)'),
    rect(left, bottom - skirting, right - left, skirting, '#f1ece2'),
    shape(`0,${HEIGHT - 92} ${left},${bottom - skirting} ${left},${bottom} 0,${HEIGHT - 60}`, '#d9d1c2'),
    shape(
      `${WIDTH},${HEIGHT - 132} ${right},${bottom - skirting} ${right},${bottom} ${WIDTH},${HEIGHT - 100}`,
      '#cbc1af',
    ),
  ].join('');
}

/** Boards run towards the vanishing point; each has a tone of its own and joints at odd places. */
function floor(): string {
  const { left, right, bottom } = BACK;
  const outline = `0,${HEIGHT - 60} ${left},${bottom} ${right},${bottom} ${WIDTH},${HEIGHT - 100} ${WIDTH},${HEIGHT} 0,${HEIGHT}`;
  const at = (x: number, y: number) =>
    VANISHING.x + ((x - VANISHING.x) * (y - VANISHING.y)) / (HEIGHT - VANISHING.y);
  const boards = Array.from({ length: 44 }, (_, index) => {
    const x = -1400 + index * 105;
    const tone = ['#ffffff', '#000000', '#5a3413', '#f7d9a8'][(index * 7) % 4] ?? '#000000';
    const joint = bottom + 20 + ((index * 97) % 11) ** 2 * 3;
    return [
      shape(
        `${at(x, bottom)},${bottom} ${at(x + 105, bottom)},${bottom} ${x + 105},${HEIGHT} ${x},${HEIGHT}`,
        tone,
        'opacity=".07"',
      ),
      `<path d="M${at(x, bottom)} ${bottom}L${x} ${HEIGHT}" stroke="#4d3016" stroke-width="1.6" opacity=".45"/>`,
      `<path d="M${at(x, joint)} ${joint}H${at(x + 105, joint)}" stroke="#4d3016" stroke-width="1.6" opacity=".4"/>`,
    ].join('');
  });
  return `<clipPath id="ground"><polygon points="${outline}"/></clipPath><g clip-path="url(#ground)">${shape(outline, 'url(#floor)')}${boards.join('')}</g>`;
}

function windowWithLight(): string {
  const pane = (points: string) => shape(points, 'url(#sky)');
  return [
    shape('96,178 330,256 330,610 96,690', '#f6f3ec'),
    pane('112,200 206,230 206,412 112,422'),
    pane('220,234 316,266 316,404 220,411'),
    pane('112,440 206,428 206,634 112,666'),
    pane('220,427 316,418 316,600 220,630'),
    shape('112,560 206,545 206,634 112,666', '#8fae7d', 'opacity=".75" filter="url(#haze)"'),
    shape('220,545 316,535 316,600 220,630', '#8fae7d', 'opacity=".75" filter="url(#haze)"'),
    shape('84,690 342,608 350,618 84,706', '#fbf8f1'),
    shape('40,140 100,160 92,780 20,800', '#efe8da', 'opacity=".93"'),
    shape('326,235 372,250 376,690 332,700', '#efe8da', 'opacity=".93"'),
    shape('300,880 520,800 800,880 560,1000', '#fff3cf', 'opacity=".42" filter="url(#soft)"'),
    shape('560,790 650,760 900,815 800,860', '#fff3cf', 'opacity=".35" filter="url(#soft)"'),
  ].join('');
}

function sofa(): string {
  const seat = (x: number) => rect(x, 588, 178, 62, 'url(#cushion)', 'rx="16"');
  const back = (x: number) => rect(x, 486, 178, 118, 'url(#cushion)', 'rx="20"');
  return [
    `<ellipse cx="870" cy="722" rx="345" ry="28" fill="#2a1a0c" opacity=".5" filter="url(#soft)"/>`,
    rect(560, 478, 620, 170, 'url(#sofa)', 'rx="26"'),
    back(600),
    back(781),
    back(962),
    seat(600),
    seat(781),
    seat(962),
    rect(588, 644, 564, 52, 'url(#sofa)', 'rx="10"'),
    rect(540, 548, 70, 150, 'url(#sofa)', 'rx="24"'),
    rect(1130, 548, 70, 150, 'url(#sofa)', 'rx="24"'),
    rect(566, 696, 14, 28, '#3d2a1a'),
    rect(1160, 696, 14, 28, '#3d2a1a'),
    rect(628, 505, 96, 92, '#c98b52', 'rx="16" transform="rotate(-9 676 551)"'),
    rect(1030, 508, 92, 88, '#e5d9c3', 'rx="16" transform="rotate(8 1076 552)"'),
  ].join('');
}

function furniture(): string {
  return [
    shape('500,868 1160,868 1330,1015 350,1015', 'url(#rug)'),
    shape('524,878 1138,878 1286,1003 402,1003', 'none', 'stroke="#b29f82" stroke-width="5"'),
    sofa(),
    `<ellipse cx="840" cy="945" rx="225" ry="26" fill="#2a1a0c" opacity=".45" filter="url(#soft)"/>`,
    '<path d="M690 850L672 940M990 850L1008 940M720 845L714 905M960 845L966 905" stroke="#3f2a18" stroke-width="9"/>',
    '<ellipse cx="840" cy="842" rx="205" ry="34" fill="#6d4526"/><ellipse cx="840" cy="834" rx="205" ry="34" fill="#8d5d36"/>',
    '<ellipse cx="800" cy="828" rx="52" ry="11" fill="#f0ebe0"/><path d="M880 832v-40q14-12 28 0v40z" fill="#d9e2df"/>',
    '<path d="M894 792q-26-40-46-42M894 792q4-48 20-62M894 792q26-26 44-24" stroke="#5c7a4a" stroke-width="5" fill="none"/>',
  ].join('');
}

function decoration(): string {
  const leaf = (angle: number, length: number) =>
    `<path d="M462 640q-34-${length / 2} 0-${length}q34 ${length / 2} 0 ${length}" fill="${angle % 2 ? '#4f6f42' : '#66894f'}" transform="rotate(${angle} 462 640)"/>`;
  return [
    rect(706, 242, 340, 196, '#000', 'opacity=".22" filter="url(#haze)" transform="translate(5 9)"'),
    rect(706, 242, 340, 196, '#3b2f25'),
    rect(716, 252, 320, 176, '#f5f1e8'),
    rect(744, 276, 264, 128, '#dfe6e4'),
    '<path d="M744 404v-44q60-46 118-12q70-62 146-4v60z" fill="#88a0a3"/><path d="M744 404v-20q90-34 160-10q60 10 104-6v36z" fill="#536f6c"/><circle cx="946" cy="312" r="17" fill="#eab676"/>',
    '<ellipse cx="1258" cy="360" rx="240" ry="215" fill="url(#glow)"/>',
    '<ellipse cx="1258" cy="742" rx="52" ry="11" fill="#33261b"/><path d="M1258 742V412" stroke="#33261b" stroke-width="7"/>',
    shape('1216,330 1300,330 1330,424 1186,424', 'url(#shade)'),
    '<ellipse cx="462" cy="762" rx="60" ry="12" fill="#2a1a0c" opacity=".5" filter="url(#haze)"/>',
    [-62, -41, -20, 3, 24, 45, 66].map((angle, index) => leaf(angle, 190 + ((index * 53) % 70))).join(''),
    shape('418,636 506,636 494,760 430,760', '#d8d2c6'),
    shape('470,636 506,636 494,760 478,760', '#b9b1a2'),
  ].join('');
}

const scene = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${definitions()}${shell()}${floor()}${windowWithLight()}${decoration()}${furniture()}${rect(0, 0, WIDTH, HEIGHT, 'url(#vignette)')}</svg>`;
const grain = await sharp({
  create: {
    width: WIDTH,
    height: HEIGHT,
    channels: 3,
    background: '#808080',
    noise: { type: 'gaussian', mean: 128, sigma: 9 },
  },
})
  .png()
  .toBuffer();
await sharp(Buffer.from(scene))
  .flatten()
  .blur(0.7)
  .composite([{ input: grain, blend: 'soft-light' }])
  .removeAlpha()
  .jpeg({ quality: 82, mozjpeg: true })
  .toFile(fileURLToPath(new URL('sample-room.jpg', import.meta.url)));
