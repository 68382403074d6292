import { KEEP_CONTENT, KEEP_SCENE } from '../keep/photo.ts';
import { flag, intensity, worded } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';

const UPSCALE = {
  customPrompt: 'not read',
  upscales: true,
  options: {},
  task: [
    'Upscale this photo to a higher resolution: fine texture, crisp edges and legible detail, as a better lens and sensor would have recorded them.',
  ],
  craft: [
    'Detail comes from what the photo holds; where it holds none, it stays soft. Exposure, contrast, white balance and colors stay, edges are free of halos and ringing.',
  ],
  keep: KEEP_SCENE,
} as const;

/** Tools of classical image editing: the scene stays as photographed. */
export const PHOTO_CORRECTIONS: readonly ToolEntry[] = [
  {
    slug: 'image-enhancement',
    classical: true,
    mayKeepImage: true,
    title: 'Image enhancement',
    description: 'Improves exposure, contrast, color and sharpness together.',
    customPrompt: 'read',
    aim: 'Enhance this property photo in light, color and sharpness',
    options: { intensity },
    task: [
      'Enhance this property photo as a professional retoucher would: balanced exposure, clean white balance, clear contrast, natural color and fine sharpness.',
      'White walls and ceilings look neutral white.',
      'Strength of the effect: {intensity}.',
    ],
    craft: ['Highlights and shadows keep their detail, and surfaces keep their true colors.'],
    keep: KEEP_SCENE,
  },
  {
    slug: 'hdr-enhancement',
    classical: true,
    mayKeepImage: true,
    title: 'HDR enhancement',
    description: 'Opens shadows and recovers highlights.',
    customPrompt: 'not read',
    options: { intensity },
    task: [
      'Give this photo the tonal range of a well-made HDR exposure: open shadows, recovered highlights and the detail that the photo holds in its windows.',
      'Strength of the effect: {intensity}.',
    ],
    craft: [
      'Local contrast is natural, edges are free of halos, blacks stay black, and colors stay as saturated as they are.',
    ],
    keep: KEEP_SCENE,
  },
  {
    slug: 'color-correction',
    classical: true,
    mayKeepImage: true,
    title: 'Color correction',
    description: 'Corrects white balance and color.',
    customPrompt: 'not read',
    options: {
      whiteBalance: worded(
        'Target white balance.',
        {
          auto: 'so that white surfaces look white',
          warm: 'slightly warm, with whites a little creamy',
          neutral: 'strictly neutral',
          cool: 'slightly cool, with whites a little bluish',
        },
        'auto',
      ),
      saturation: worded(
        'Strength of color.',
        { muted: 'muted, a little below natural', natural: 'natural', vivid: 'vivid, short of garish' },
        'natural',
      ),
    },
    task: [
      'Correct the color of this photo: remove color casts, the tints of mixed lamplight and daylight included.',
      'White balance: {whiteBalance}.',
      'Saturation: {saturation}.',
    ],
    craft: [
      'Exposure and contrast stay; wood, fabric, plants and skin look true, and the warmth that lamps really have remains.',
    ],
    keep: KEEP_SCENE,
  },
  {
    slug: 'lighting-adjustment',
    classical: true,
    mayKeepImage: true,
    title: 'Lighting adjustment',
    description: 'Brightens or balances the light.',
    customPrompt: 'not read',
    options: {
      lightingMode: worded(
        'Change to make to the light.',
        {
          balance: 'even out dark and bright areas',
          brighten: 'brighten it as a whole',
          darken: 'darken it as a whole',
          'lift-shadows': 'open the shadows and leave the highlights',
          'recover-highlights': 'recover burnt highlights and leave the shadows',
        },
        'balance',
      ),
      lightColor: worded(
        'Color of the light.',
        { 'as-is': 'as it is', warm: 'somewhat warmer', cool: 'somewhat cooler' },
        'as-is',
      ),
      intensity,
    },
    task: [
      'Adjust the light of this photo: {lightingMode}.',
      'Color of the light: {lightColor}.',
      'Strength of the effect: {intensity}.',
    ],
    craft: [
      'The direction of the light and the lamps that are on stay as they are; transitions are smooth, without halos or burnt areas.',
    ],
    keep: KEEP_SCENE,
  },
  {
    slug: 'noise-reduction',
    classical: true,
    mayKeepImage: true,
    title: 'Noise reduction',
    description: 'Removes grain and compression marks.',
    customPrompt: 'not read',
    options: { intensity },
    task: [
      'Remove luminance and color noise, banding and compression marks from this photo.',
      'Strength of the effect: {intensity}.',
    ],
    craft: [
      'Fine texture, edges and small print stay sharp, never waxy; exposure, contrast and colors stay.',
    ],
    keep: KEEP_SCENE,
  },
  {
    slug: 'lens-correction',
    mayKeepImage: true,
    title: 'Lens correction',
    description: 'Removes distortion, vignetting and color fringes.',
    customPrompt: 'not read',
    options: {
      lensDistortion: worded(
        'Distortion to correct.',
        {
          auto: 'whichever distortion the photo shows',
          barrel: 'barrel distortion (lines bow outward)',
          pincushion: 'pincushion distortion (lines bow inward)',
          fisheye: 'strong fisheye distortion',
        },
        'auto',
      ),
      removeVignette: flag('Whether dark corners are brightened.', 'true'),
      removeFringes: flag('Whether color fringes are removed.', 'true'),
    },
    task: [
      'Correct the lens faults of this photo so that straight lines are straight: remove {lensDistortion}.',
      { when: { removeVignette: ['true'] }, text: 'Brighten dark corners to match the center.' },
      { when: { removeFringes: ['true'] }, text: 'Remove color fringes along edges.' },
    ],
    craft: ['Objects near the edges get natural proportions, and the corners stay sharp.'],
    keep: KEEP_CONTENT,
  },
  {
    slug: 'perspective-correction',
    classical: true,
    mayKeepImage: true,
    title: 'Perspective correction',
    description: 'Straightens verticals and the horizon.',
    customPrompt: 'not read',
    options: {
      perspectiveAxis: worded(
        'Lines to straighten.',
        {
          both: 'upright lines stand exactly vertical and parallel, and the horizon is level',
          vertical: 'upright lines stand exactly vertical and parallel',
          horizontal: 'the horizon and the level lines that face the camera are exactly horizontal',
        },
        'both',
      ),
    },
    task: ['Correct the perspective of this photo, as a shift lens would: {perspectiveAxis}.'],
    craft: [
      'Proportions stay natural, nothing is stretched, and lines that run into the depth still converge.',
    ],
    keep: KEEP_CONTENT,
  },
  {
    slug: 'image-upscaling',
    classical: true,
    mayKeepImage: true,
    minEdgeRecall: 0.6,
    label: 'upscaled',
    title: 'Image upscaling',
    description: 'Renders at 4K, never smaller than the input, for the price of 2K.',
    ...UPSCALE,
  },
  {
    slug: '4k-upscale',
    classical: true,
    mayKeepImage: true,
    minEdgeRecall: 0.6,
    label: 'upscaled-4k',
    title: '4K upscale',
    description: 'Renders at 4K, never smaller than the input.',
    images: 2,
    ...UPSCALE,
  },
];
