import type { Plan } from '../../lib/catalog/catalog.ts';

/** Shorter values are choices such as `modern`, and words that a message has by itself. */
const MIN_LENGTH = 8;

/** A message of an upstream without what it repeats of the job's instruction and options, so that it may be logged. */
export function withoutClientWords({ instruction, settings }: Plan, message: string): string {
  const words = [instruction, ...Object.values(settings)].filter(({ length }) => length >= MIN_LENGTH);
  return words.reduce((rest, word) => rest.replaceAll(word, '[from the job]'), message);
}
