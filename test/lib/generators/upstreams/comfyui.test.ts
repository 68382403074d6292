import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseGraph } from '../../../../lib/generators/adapters/comfyui-graph.ts';
import { GRAPH_FILE } from '../graph-file.ts';
import { startComfyui } from './comfyui.ts';
import { type FakeWithAdapter, KEY, renderOf } from './fake.ts';

const ended = (...message: [event: string, details: object]) => ({
  status: 200,
  json: {
    [KEY]: {
      prompt: [1, KEY, { 1: { inputs: { text: 'a long prompt '.repeat(100) } } }],
      outputs: {},
      status: {
        status_str: 'error',
        completed: false,
        messages: [
          ['execution_start', { prompt_id: KEY, timestamp: 1 }],
          ['execution_cached', { nodes: [], prompt_id: KEY, timestamp: 2 }],
          message,
        ],
      },
    },
  },
});

const invalidNode = (output: string) => ({
  status: 200,
  json: {
    prompt_id: KEY,
    number: 1,
    node_errors: {
      3: {
        errors: [{ type: 'value_not_in_list', message: 'Value not in list', details: 'vae_name' }],
        dependent_outputs: [output],
        class_type: 'VAELoader',
      },
    },
  },
});

describe('the adapter of ComfyUI', () => {
  const held: { fake?: FakeWithAdapter } = {};
  const fake = () => {
    if (held.fake === undefined) throw new Error('The fake has not started.');
    return held.fake;
  };
  const render = async () => fake().generator.render(await renderOf());

  beforeEach(async () => {
    held.fake = await startComfyui();
  });
  afterEach(() => held.fake?.[Symbol.asyncDispose]());

  test('submits the job again, under the same id, after somebody has interrupted its task', async () => {
    const { submit, poll } = fake().replies;
    fake().replies.poll = ended('execution_interrupted', { prompt_id: KEY, node_id: '3', node_type: 'X' });
    await expect(render()).rejects.toMatchObject({ failure: { kind: 'unavailable' }, mayBeCharged: true });

    fake().replies.submit = (_, response) => {
      fake().replies.poll = poll;
      if (typeof submit !== 'function') response.end(JSON.stringify(submit.json));
    };
    await render();

    const ids = fake()
      .server.seen.filter(({ path }) => path === '/prompt')
      .map(({ body }) => JSON.parse(body.toString()).prompt_id);
    expect(ids).toEqual([KEY, KEY]);
  });

  test('says which node failed, and why', async () => {
    fake().replies.poll = ended('execution_error', {
      node_id: '3',
      node_type: 'ImageBlend',
      exception_message: 'Unsupported blend mode: bogus',
      exception_type: 'ValueError',
      traceback: ['long'],
    });

    await expect(render()).rejects.toMatchObject({
      failure: { kind: 'unavailable' },
      upstreamWorks: true,
      message: expect.stringContaining('ImageBlend 3 ValueError Unsupported blend mode: bogus'),
    });
  });

  test('calls the graph invalid when the server leaves out the node of the result', async () => {
    fake().replies.submit = invalidNode('4');
    await expect(render()).rejects.toMatchObject({
      failure: { kind: 'misconfigured' },
      message: expect.stringContaining('vae_name'),
    });
  });

  test('does without other outputs that the server leaves out', async () => {
    fake().replies.submit = invalidNode('9');
    expect((await render()).bytes.length).toBeGreaterThan(100);
  });
});

describe('the graph of ComfyUI', () => {
  const text = readFileSync(GRAPH_FILE, 'utf8');
  const save = { class_type: 'SaveImage', inputs: {} };
  const load = { class_type: 'LoadImage', inputs: { image: '{{image}}' } };

  test('has its result at the first SaveImage node, or at the one that is named', () => {
    expect(parseGraph(text, '').output).toBe('4');
    expect(parseGraph(text, '2').output).toBe('2');
  });

  test.each([
    ['no JSON', '{', '', 'no JSON'],
    ['null', 'null', '', 'Export (API)'],
    ['a list', JSON.stringify([load, save]), '', 'Export (API)'],
    ['the format of the editor', JSON.stringify({ nodes: [], links: [], version: 0.4 }), '', 'Export (API)'],
    ['no placeholder for the image', JSON.stringify({ 1: save }), '', '{{image}}'],
    ['no SaveImage node', JSON.stringify({ 1: load }), '', 'COMFYUI_OUTPUT_NODE'],
    ['no node of the name', text, '99', '99'],
  ])('is refused at the start when it is or has %s', (_, graph, outputNode, words) => {
    expect(() => parseGraph(graph, outputNode)).toThrow(words);
  });
});
