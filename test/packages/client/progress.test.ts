import { expect, test } from 'vitest';
import type { Outcome } from '../../../packages/client/src/cli/edit-photo.ts';
import { createProgress } from '../../../packages/client/src/cli/progress.ts';

const outcome: Outcome = {
  input: 'a.jpg',
  output: 'out/a.jpg',
  status: 'completed',
  job_id: 'a',
  images_charged: 1,
  warnings: [],
  error: null,
};

function written(isTTY: boolean, json: boolean) {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) => ({
    isTTY,
    write(text: string) {
      texts[name] += text;
    },
  });
  const streams = { stdout: stream('stdout'), stderr: stream('stderr') };
  const progress = createProgress(streams, { total: 2, json });
  progress.add({ ...outcome, warnings: ['sky is ignored.'] });
  progress.add({ ...outcome, input: 'b.jpg', status: 'failed', error: 'No image.' });
  progress.end();
  return texts;
}

test('a terminal has a bar below the lines of the photos', () => {
  const { stdout, stderr } = written(true, false);
  expect(stdout).toBe('a.jpg -> out/a.jpg\n');
  const clear = '\r\u001b[K';
  expect(stderr.split(clear).filter((text) => text !== '')).toEqual([
    '[------------------------] 0/2',
    'a.jpg: sky is ignored.\n',
    '[############------------] 1/2',
    'b.jpg: No image.\n',
    '[########################] 2/2, 1 failed\n',
  ]);
});

test('a file has a line for each photo, and JSON has nothing else', () => {
  expect(written(false, false)).toEqual({
    stdout: 'a.jpg -> out/a.jpg\n',
    stderr: 'a.jpg: sky is ignored.\nb.jpg: No image.\n',
  });
  const { stdout, stderr } = written(true, true);
  expect(stderr).toBe('');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).status),
  ).toEqual(['completed', 'failed']);
});
