import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { outliveReader } from '../../../packages/client/src/cli/pipe.ts';
import { createProgress } from '../../../packages/client/src/cli/progress.ts';
import { run } from '../../../packages/client/src/cli/run.ts';
import { showAccount, showTools } from '../../../packages/client/src/cli/show.ts';
import { clientAnswered, json } from './fake-fetch.ts';

const HOSTILE = 'a\u001b[2J\u0007\n\u009b1m\u202egpj';
const SHOWN = 'a\\u001b[2J\\u0007\\u000a\\u009b1m\\u202egpj';

function streams() {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) => ({
    write(text: string) {
      texts[name] += text;
    },
  });
  return { texts, stdout: stream('stdout'), stderr: stream('stderr'), signal: new AbortController().signal };
}

test('names and messages of photos have no control characters on a terminal', () => {
  const { texts, ...to } = streams();
  const progress = createProgress(to, { total: 2, json: false });
  const outcome = { input: HOSTILE, output: HOSTILE, job_id: null, images_charged: 0, warnings: [HOSTILE] };
  progress.add({ ...outcome, status: 'failed', error: HOSTILE });
  progress.add({ ...outcome, warnings: [], status: 'completed', error: null });
  expect(texts).toEqual({
    stdout: `${SHOWN} -> ${SHOWN}\n`,
    stderr: `${SHOWN}: ${SHOWN}\n${SHOWN}: ${SHOWN}\n`,
  });
});

test('nor have the errors of a command', async () => {
  const { texts, ...to } = streams();
  const env = { IMAGE_JOB_API_KEY: 'ij_key', IMAGE_JOB_BASE_URL: 'https://api.example.com/api' };
  expect(await run(['edit', HOSTILE, '--tool', 'declutter'], env, to)).toBe(2);
  expect(texts.stderr).toBe(`image-job: ${SHOWN} does not exist.\n`);
});

test('nor has what the service says of a tool', async () => {
  const { texts, ...to } = streams();
  const { client } = clientAnswered(
    json({ title: HOSTILE, description: HOSTILE, options: { a: '\u009b\u202e' } }),
  );
  await showTools('declutter', { ...to, client, json: false });
  expect(texts.stdout).toBe(`${SHOWN}: ${SHOWN}\n{\n  "a": "\\u009b\\u202e"\n}\n`);
});

test('nor has JSON, which keeps its values', async () => {
  const { texts, ...to } = streams();
  const outcome = { input: HOSTILE, output: HOSTILE, job_id: null, images_charged: 0, warnings: [HOSTILE] };
  createProgress(to, { total: 1, json: true }).add({ ...outcome, status: 'failed', error: HOSTILE });
  const account = { name: HOSTILE, image_credits: 1 };
  const tool = { title: HOSTILE, description: HOSTILE, options: { [HOSTILE]: HOSTILE } };
  const { client } = clientAnswered(json(account), json(tool), json([tool]));
  await showAccount({ ...to, client, json: true });
  for (const slug of ['declutter', undefined]) await showTools(slug, { ...to, client, json: true });
  expect(texts.stdout).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}/u);
  const values = texts.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(values).toEqual([{ ...outcome, status: 'failed', error: HOSTILE }, account, tool, [tool]]);
});

test('a reader that has ended is no error', async () => {
  const closed = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  outliveReader(closed);
  closed.write('a line\n');
  await setImmediate();
  expect(() => closed.write('another line\n')).not.toThrow();
});

test.each(['-h', '--help'])('%s shows the usage', async (option) => {
  const { texts, ...to } = streams();
  expect(await run([option], {}, to)).toBe(0);
  expect(texts.stdout).toMatch(/^Usage: image-job/);
});

test('an option that is given twice is refused', async () => {
  const { texts, ...to } = streams();
  const args = ['edit', 'a.jpg', '--tool', 'declutter', '--option', 'style=a', '--option', 'style='];
  expect(await run(args, {}, to)).toBe(2);
  expect(texts.stderr).toContain('--option style is given twice');
});
