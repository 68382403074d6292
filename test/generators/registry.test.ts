import { describe, expect, it } from 'vitest';
import { GeneratorError } from '../../generators/errors.ts';
import { createGenerator, GENERATORS } from '../../generators/registry.ts';

describe('the registry of generators', () => {
  it('makes every generator by the name it bears', () => {
    for (const name of Object.keys(GENERATORS)) expect(createGenerator([name]).name).toBe(name);
  });

  it.each([
    ['an unknown name', ['dalle'], '"dalle"'],
    ['a name every object has', ['constructor'], '"constructor"'],
    ['no name', [], 'no generator'],
    ['several names', ['preview', 'instant'], '2 generators'],
  ])('refuses %s for good and lists what it knows', (_, names, problem) => {
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
