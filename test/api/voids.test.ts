import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createVoids } from '../../api/creation/voids.ts';
import { eventually } from '../setup/eventually.ts';

interface Line {
  jobId?: string;
  msg: string;
}

test('a job that is to be undone is named in the log before anything can stop the process, and once it is decided', async () => {
  const lines: Line[] = [];
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line) as Line) });
  const mongo = { reachable: false };
  const undo = async () => {
    if (!mongo.reachable) throw new Error('MongoDB is away');
    return true;
  };
  await using voids = createVoids({ void: undo }, logger);
  voids.enqueue({ jobId: 'one', requestId: 'a' });
  expect(lines).toMatchObject([{ jobId: 'one', msg: expect.stringContaining('is being undone') }]);
  mongo.reachable = true;
  await eventually(async () =>
    expect(lines).toMatchObject([{}, { jobId: 'one', msg: expect.stringContaining('was undone') }]),
  );
});
