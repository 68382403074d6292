import { KEEP_CONTENT, KEEP_SCENE } from '../keep.ts';
import { choice, flag, intensity } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';

const UPSCALE = {
  customPrompt: 'not read',
  upscales: true,
  options: {},
  task: [
    'Upscale this photo to a higher resolution: recover fine texture, crisp edges and legible detail, without halos, ringing or invented content.',
  ],
  keep: KEEP_SCENE,
} as const;

/** Tools of classical image editing: the scene stays as photographed. */
export const PHOTO_CORRECTIONS: readonly ToolEntry[] = [
  {
    slug: 'image-enhancement',
    title: 'Image enhancement',
    description: 'Improves exposure, contrast, color and sharpness together.',
    customPrompt: 'read',
    options: { intensity },
    task: [
      'Enhance this property photo as a professional retoucher would: balanced exposure, clean white balance, clear contrast, natural color and fine sharpness.',
      'Strength of the effect: {intensity}.',
    ],
    keep: KEEP_SCENE,
  },
  {
    slug: 'hdr-enhancement',
    title: 'HDR enhancement',
    description: 'Opens shadows and recovers highlights.',
    customPrompt: 'not read',
    options: { intensity },
    task: [
      'Give this photo the tonal range of a well-made HDR exposure: open shadows, recovered highlights and window detail, natural local contrast, no halos.',
      'Strength of the effect: {intensity}.',
    ],
    keep: KEEP_SCENE,
  },
  {
    slug: 'color-correction',
    title: 'Color correction',
    description: 'Corrects white balance and color.',
    customPrompt: 'not read',
    options: {
      whiteBalance: choice('Target white balance.', ['auto', 'warm', 'neutral', 'cool'], 'auto', {
        wording: { auto: 'chosen so that white surfaces look white' },
      }),
      saturation: choice('Strength of color.', ['muted', 'natural', 'vivid'], 'natural'),
    },
    task: [
      'Correct the color of this photo: remove color casts, mixed-light tints included. White balance: {whiteBalance}. Saturation: {saturation}.',
    ],
    keep: KEEP_SCENE,
  },
  {
    slug: 'lighting-adjustment',
    title: 'Lighting adjustment',
    description: 'Brightens or balances the light.',
    customPrompt: 'not read',
    options: {
      lightingMode: choice(
        'Change to make to the light.',
        ['balance', 'brighten', 'darken', 'lift-shadows', 'recover-highlights'],
        'balance',
        {
          wording: {
            balance: 'even out dark and bright areas',
            brighten: 'brighten it as a whole',
            darken: 'darken it as a whole',
            'lift-shadows': 'open the shadows and leave the highlights',
            'recover-highlights': 'recover burnt highlights and leave the shadows',
          },
        },
      ),
      lightColor: choice('Color of the light.', ['as-is', 'warm', 'cool'], 'as-is', {
        wording: { 'as-is': 'unchanged' },
      }),
      intensity,
    },
    task: [
      'Adjust the light of this photo: {lightingMode}. Color of the light: {lightColor}.',
      'Strength of the effect: {intensity}.',
    ],
    keep: KEEP_SCENE,
  },
  {
    slug: 'noise-reduction',
    title: 'Noise reduction',
    description: 'Removes grain and compression marks.',
    customPrompt: 'not read',
    options: { intensity },
    task: [
      'Remove luminance and color noise, banding and compression marks from this photo while fine texture and edges stay sharp.',
      'Strength of the effect: {intensity}.',
    ],
    keep: KEEP_SCENE,
  },
  {
    slug: 'lens-correction',
    title: 'Lens correction',
    description: 'Removes distortion, vignetting and color fringes.',
    customPrompt: 'not read',
    options: {
      lensDistortion: choice('Distortion to correct.', ['auto', 'barrel', 'pincushion', 'fisheye'], 'auto', {
        wording: { auto: 'whichever the photo shows' },
      }),
      removeVignette: flag('Whether dark corners are brightened.', 'true'),
      removeFringes: flag('Whether color fringes are removed.', 'true'),
    },
    task: [
      'Correct the lens faults of this photo so that straight lines are straight. Distortion: {lensDistortion}.',
      { when: { removeVignette: ['true'] }, text: 'Brighten dark corners to match the center.' },
      { when: { removeFringes: ['true'] }, text: 'Remove color fringes along edges.' },
      'Fill the frame without empty borders.',
    ],
    keep: KEEP_CONTENT,
  },
  {
    slug: 'perspective-correction',
    title: 'Perspective correction',
    description: 'Straightens verticals and the horizon.',
    customPrompt: 'not read',
    options: {
      perspectiveAxis: choice('Lines to straighten.', ['both', 'vertical', 'horizontal'], 'both', {
        wording: { both: 'vertical and horizontal' },
      }),
    },
    task: [
      'Correct the perspective of this photo. Straighten these lines: {perspectiveAxis}.',
      'Walls stand upright, the horizon is level, proportions stay natural and the frame is filled without empty borders.',
    ],
    keep: KEEP_CONTENT,
  },
  {
    slug: 'image-upscaling',
    label: 'upscaled',
    title: 'Image upscaling',
    description: 'Renders at 4K, never smaller than the input, for the price of 2K.',
    ...UPSCALE,
  },
  {
    slug: '4k-upscale',
    label: 'upscaled-4k',
    title: '4K upscale',
    description: 'Renders at 4K, never smaller than the input.',
    images: 2,
    ...UPSCALE,
  },
];
