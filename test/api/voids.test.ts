import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { createVoids } from '../../api/jobs/voids.ts';

interface Line {
  jobId?: string;
  msg: string;
}

test('a job is logged when it is enqueued to be voided, and again when that is decided', async () => {
  const lines: Line[] = [];
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line) as Line) });
  const mongo = { reachable: false };
  const voidJob = async () => {
    if (!mongo.reachable) throw new Error('MongoDB is unavailable');
    return true;
  };
  await using voids = createVoids({ void: voidJob }, logger);
  voids.enqueue({ jobId: 'one', requestId: 'a' });
  expect(lines).toMatchObject([{ jobId: 'one', msg: expect.stringContaining('is being undone') }]);
  mongo.reachable = true;
  await vi.waitFor(
    async () =>
      expect(lines).toMatchObject([{}, { jobId: 'one', msg: expect.stringContaining('was undone') }]),
    60_000,
  );
});
