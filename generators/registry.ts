import { GeneratorError } from './errors.ts';
import type { Generator, LocalName } from './port.ts';

export type GeneratorFactories = Readonly<Record<string, () => Generator>>;

/** Every generator GENERATORS may name. */
export const GENERATORS: GeneratorFactories = Object.freeze({
  preview: () => local('preview'),
  instant: () => local('instant'),
});

function local(name: LocalName): Generator {
  return { kind: 'local', name };
}

/** The generator the configuration names. Throws a final GeneratorError that lists the known ones. */
export function createGenerator(
  names: readonly string[],
  factories: GeneratorFactories = GENERATORS,
): Generator {
  const [name, ...others] = names;
  if (name === undefined) throw misconfigured('GENERATORS names no generator', factories);
  if (others.length > 0)
    throw misconfigured(`GENERATORS names ${names.length} generators, and one can run`, factories);
  const create = Object.hasOwn(factories, name) ? factories[name] : undefined;
  if (create === undefined)
    throw misconfigured(`GENERATORS names ${JSON.stringify(name)}, which is unknown`, factories);
  return create();
}

function misconfigured(problem: string, factories: GeneratorFactories): GeneratorError {
  return new GeneratorError(
    { kind: 'misconfigured' },
    `${problem}. Known: ${Object.keys(factories).join(', ')}.`,
  );
}
