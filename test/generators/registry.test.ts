import { describe, expect, it } from 'vitest';
import { GeneratorError } from '../../generators/errors.ts';
import { createGenerator, GENERATORS } from '../../generators/registry.ts';

describe('the registry of generators', () => {
  it('creates every generator by its name', () => {
    for (const name of Object.keys(GENERATORS)) expect(createGenerator([name]).name).toBe(name);
  });

  it.each([
    ['an unknown name', ['dalle'], '"dalle"'],
    ['the name of a property of every object', ['constructor'], '"constructor"'],
    ['no name', [], 'no generator'],
    ['several names', ['preview', 'instant'], '2 generators'],
  ])('refuses %s with a final error that lists the known names', (_, names, problem) => {
    const failure = (() => {
      try {
        return createGenerator(names);
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toBeInstanceOf(GeneratorError);
    expect(failure).toMatchObject({ failure: { kind: 'misconfigured' } });
    expect(String(failure)).toContain(problem);
    expect(String(failure)).toContain('Known: preview, instant.');
  });
});
