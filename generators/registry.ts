import { GeneratorError } from './errors.ts';
import type { Generator, LocalName } from './port.ts';

export type GeneratorFactories = Readonly<Record<string, () => Generator>>;

/** The generators that the setting GENERATORS may name. */
export const GENERATORS: GeneratorFactories = Object.freeze({
  preview: () => local('preview'),
  instant: () => local('instant'),
});

function local(name: LocalName): Generator {
  return { kind: 'local', name };
}

/** Creates the configured generator. @throws GeneratorError `misconfigured`, with the list of known names */
export function createGenerator(
  names: readonly string[],
  factories: GeneratorFactories = GENERATORS,
): Generator {
  const [name, ...others] = names;
  if (name === undefined) throw misconfigured('GENERATORS names no generator', factories);
  if (others.length > 0)
    throw misconfigured(`GENERATORS names ${names.length} generators, but only one is supported`, factories);
  const create = Object.hasOwn(factories, name) ? factories[name] : undefined;
  if (create === undefined)
    throw misconfigured(`GENERATORS names the unknown generator ${JSON.stringify(name)}`, factories);
  return create();
}

function misconfigured(problem: string, factories: GeneratorFactories): GeneratorError {
  return new GeneratorError(
    { kind: 'misconfigured' },
    `${problem}. Known: ${Object.keys(factories).join(', ')}.`,
  );
}
