import { removeNoise, sharpenDetail } from './detail.ts';
import { duskInside, duskOutside } from './dusk.ts';
import { byIntensity, type Operation, sequence } from './operation.ts';
import { changeSeason } from './season.ts';
import { straighten } from './straighten.ts';
import { adjustLight, balanceLight, correctColour, saturate, stretchContrast } from './tone.ts';

/** Tools that classical image editing can do. Every other tool needs a model and gets a caption. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['image-upscaling', sharpenDetail],
  ['4k-upscale', sharpenDetail],
  ['image-enhancement', byIntensity(sequence(stretchContrast, balanceLight, saturate(1.1), sharpenDetail))],
  ['hdr-enhancement', byIntensity(sequence(balanceLight, balanceLight, stretchContrast, saturate(1.15)))],
  ['aerial-photo-editing', byIntensity(sequence(stretchContrast, saturate(1.25), sharpenDetail))],
  ['color-correction', correctColour],
  ['lighting-adjustment', byIntensity(adjustLight)],
  ['noise-reduction', byIntensity(removeNoise)],
  ['perspective-correction', straighten],
  ['day-to-dusk', duskInside],
  ['day-to-dusk-exterior', duskOutside],
  ['seasonal-changes', changeSeason],
]);
