import { describe, expect, it } from 'vitest';
import { describeCatalog } from '../../../lib/catalog/describe.ts';
import { createGenerators } from '../../../lib/generators/registry.ts';
import { loadConfig } from '../../../lib/process/config/config.ts';
import { ORDER_OF_GROUP } from '../../../lib/process/config/generator-environment.ts';
import { REQUIRED } from '../../setup/required.ts';
import { GRAPH_FILE } from './graph-file.ts';

const UPSTREAMS = {
  GEMINI_API_KEY: 'g',
  OPENAI_API_KEY: 'o',
  BFL_API_KEY: 'b',
  REPLICATE_API_TOKEN: 'r',
  FAL_KEY: 'f',
  COMFYUI_BASE_URL: 'http://127.0.0.1:8188',
  COMFYUI_GRAPH: GRAPH_FILE,
};

const config = (env: NodeJS.ProcessEnv) => loadConfig({ ...REQUIRED, ...env }).generators;
const problems = (env: NodeJS.ProcessEnv) => {
  try {
    return JSON.stringify(createGenerators(config(env)));
  } catch (error) {
    return String(error);
  }
};

describe('the configured generators', () => {
  it('need their keys in the renderer only', () => {
    expect(config({ GENERATORS: 'gemini' }).missing).toHaveLength(1);
  });

  it('are asked in the order of GENERATORS', async () => {
    const names = ['gemini', 'openai', 'bfl', 'replicate', 'fal', 'comfyui', 'preview'];
    await using generators = createGenerators(config({ ...UPSTREAMS, GENERATORS: names.join(', ') }));

    expect(generators.forPlan({ group: 'staging', classical: true }).map(({ name }) => name)).toEqual(names);
  });

  it('are asked in another order for a group that has its own', async () => {
    const env = { GENERATORS: 'bfl,preview', GENERATORS_FOR_PHOTO: 'preview', BFL_API_KEY: 'b' };
    await using generators = createGenerators(config(env));

    expect(generators.forPlan({ group: 'photo', classical: true }).map(({ name }) => name)).toEqual([
      'preview',
    ]);
    expect(generators.forPlan({ group: 'exterior', classical: true }).map(({ name }) => name)).toEqual([
      'bfl',
      'preview',
    ]);
  });

  it('are found by their name for every tool, without the built-in one', async () => {
    const env = { ...UPSTREAMS, GENERATORS: 'preview', GENERATORS_FOR_PHOTO: 'bfl' };
    await using generators = createGenerators(config(env));

    expect(['bfl', 'gemini', 'preview'].map((name) => generators.find(name)?.name)).toEqual([
      'bfl',
      undefined,
      undefined,
    ]);
  });

  it('leave a quarter of their calls to other accounts', async () => {
    await using generators = createGenerators(
      config({ ...UPSTREAMS, GENERATORS: 'bfl', BFL_CONCURRENCY: '8' }),
    );
    const bfl = generators.find('bfl');
    if (bfl === undefined) throw new Error('bfl is missing.');
    const places = generators.placesOf(bfl);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 6 }, () => places.acquire('a', 1, signal)));

    const seventh = places.acquire('a', 1, signal);
    await places.acquire('b', 1, signal);
    expect([places.held, places.waiting]).toEqual([7, 1]);
    await expect(Promise.race([seventh, Promise.resolve('waits')])).resolves.toBe('waits');
  });

  it('leave to a model what the built-in generator cannot do, wherever that stands in the order', async () => {
    const env = { ...UPSTREAMS, GENERATORS: 'preview,bfl', GENERATORS_FOR_STAGING: 'gemini,preview' };
    await using generators = createGenerators(config(env));
    const names = (group: string, classical: boolean) =>
      generators.forPlan({ group, classical }).map(({ name }) => name);

    expect(names('photo', true)).toEqual(['preview', 'bfl']);
    expect(names('photo', false)).toEqual(['bfl']);
    expect(names('staging', false)).toEqual(['gemini']);
  });

  it('may have an order for every group of the catalogue', () => {
    expect(Object.keys(ORDER_OF_GROUP)).toEqual(describeCatalog().map(({ id }) => id));
  });

  it.each([
    ['an unknown name', { GENERATORS: 'dalle' }, ['GENERATORS', '"dalle"', 'gemini']],
    ['the name of a property of every object', { GENERATORS: 'constructor' }, ['"constructor"']],
    ['an unknown name for a group', { GENERATORS_FOR_PHOTO: 'dalle' }, ['GENERATORS_FOR_PHOTO', '"dalle"']],
    ['no name', { GENERATORS: ' , ' }, ['GENERATORS', 'names no generator']],
    ['an upstream without its key', { GENERATORS: 'gemini' }, ['GEMINI_API_KEY', 'gemini']],
    ['a key that is missing for a group', { GENERATORS_FOR_PHOTO: 'fal' }, ['FAL_KEY']],
    ['ComfyUI without a graph', { GENERATORS: 'comfyui' }, ['COMFYUI_BASE_URL', 'COMFYUI_GRAPH']],
    [
      'a key over plain http',
      { GENERATORS: 'bfl', BFL_API_KEY: 'b', BFL_BASE_URL: 'http://api.example.com' },
      ['BFL_BASE_URL', 'https'],
    ],
    ['fields that are no JSON', { REPLICATE_INPUT: '{a}' }, ['REPLICATE_INPUT', 'JSON']],
    [
      'a graph that cannot be read',
      { ...UPSTREAMS, GENERATORS: 'comfyui', COMFYUI_GRAPH: '/no' },
      ['COMFYUI_GRAPH: /no'],
    ],
    ['an address without its scheme', { BFL_BASE_URL: 'api.bfl.ai' }, ['must begin with http']],
    ['another quality', { OPENAI_QUALITY: 'best' }, ['must be one of low, medium']],
  ])('refuse %s', (_, env, words) => {
    for (const word of words) expect(problems(env)).toContain(word);
  });
});
