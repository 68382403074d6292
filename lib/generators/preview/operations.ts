import { editAerial } from './aerial.ts';
import { duskInside } from './dusk-inside.ts';
import { duskOutside } from './dusk-outside.ts';
import { freshenLawn } from './lawn.ts';
import { removeNoise } from './noise.ts';
import type { Operation } from './operation.ts';
import { replaceSky } from './replace-sky.ts';
import { changeSeason } from './season.ts';
import { straighten } from './straighten.ts';
import { adjustLight, correctColour, enhance, mergeExposures, sharpenDetail } from './tone.ts';

/** Tools that classical image editing can do. Every other tool needs a model and gets a caption. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['image-upscaling', sharpenDetail],
  ['4k-upscale', sharpenDetail],
  ['image-enhancement', enhance],
  ['hdr-enhancement', mergeExposures],
  ['aerial-photo-editing', editAerial],
  ['color-correction', correctColour],
  ['lighting-adjustment', adjustLight],
  ['noise-reduction', removeNoise],
  ['perspective-correction', straighten],
  ['day-to-dusk', duskInside],
  ['day-to-dusk-exterior', duskOutside],
  ['seasonal-changes', changeSeason],
  ['sky-replacement', replaceSky],
  ['lawn-enhancement', freshenLawn],
]);

/** Tools that work on the input before it is enlarged, because enlarging would hide what they look for. */
export const BEFORE_ENLARGING: ReadonlySet<string> = new Set(['noise-reduction']);
