import { readFileSync } from 'node:fs';
import { createComfyui } from '../../../../lib/generators/adapters/comfyui.ts';
import { textAt } from '../../../../lib/generators/upstream/json.ts';
import { GRAPH_FILE } from '../graph-file.ts';
import { type FakeOptions, type FakeWithAdapter, QUICK_TIMING, startFake } from './fake.ts';

const outputs = { 4: { images: [{ filename: 'o_1_.png', subfolder: '', type: 'output' }] } };
const status = { status_str: 'success', completed: true, messages: [['execution_success', {}]] };
const NOTHING = { status: 200, json: {} };

/** A task is in the history once it has been submitted, and in the queue while it runs. */
export function fakeComfyui(): FakeOptions {
  const tasks = new Set<string>();
  /** Of the last request about a task. */
  let id = '';
  return {
    create: (baseUrl, egress) =>
      createComfyui(
        { baseUrl, outputNode: '', graph: readFileSync(GRAPH_FILE, 'utf8') },
        egress,
        QUICK_TIMING,
      ),
    replies: ({ image }) => ({
      submit: {
        status: 200,
        get json() {
          return { prompt_id: id, number: 1, node_errors: {} };
        },
      },
      poll: {
        status: 200,
        get json() {
          return { [id]: { prompt: [], outputs, status } };
        },
      },
      result: { status: 200, bytes: image },
    }),
    stepOf({ method, path, body }) {
      if (path === '/upload/image')
        return { status: 200, json: { name: 'a.jpg', subfolder: '', type: 'input' } };
      if (path === '/prompt') {
        id = textAt(JSON.parse(body.toString()), 'prompt_id') ?? '';
        tasks.add(id);
        return 'submit';
      }
      if (path === '/interrupt') return 'cancel';
      if (path === '/queue')
        return method === 'GET' ? { status: 200, json: { queue_running: [], queue_pending: [] } } : NOTHING;
      if (path.startsWith('/view')) return 'result';
      id = path.slice('/history/'.length);
      return tasks.has(id) ? 'poll' : NOTHING;
    },
    whileRunning({ method, path }) {
      if (path.startsWith('/history/')) return NOTHING;
      if (method !== 'GET' || path !== '/queue') return undefined;
      const running = [...tasks].map((task) => [1, task, {}, {}, ['4']]);
      return { status: 200, json: { queue_running: running, queue_pending: [] } };
    },
    env: (baseUrl) => ({ COMFYUI_BASE_URL: baseUrl, COMFYUI_GRAPH: GRAPH_FILE }),
  };
}

export const startComfyui = (): Promise<FakeWithAdapter> => startFake(fakeComfyui());
