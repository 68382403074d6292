import { afterAll, beforeAll, expect, test } from 'vitest';
import { closers } from '../setup/closers.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

const open = closers();
let service: Service;
let cli: CommandLine;

beforeAll(async () => {
  service = open.use(await startService());
  cli = openCommandLine(service.config);
  open.use(cli.deps);
  open.use(await service.startWorker());
});
afterAll(() => open.close());

test('sweep run starts the retention workflow, which returns its counts', async () => {
  const { workflow_id, run_id } = await cli.json<{ workflow_id: string; run_id: string }>('sweep', 'run');
  const counts = await service.temporal.workflow.getHandle(workflow_id, run_id).result();
  expect(counts).toEqual({
    deleted: 0,
    historiesDeleted: 0,
    inputsDropped: 0,
    orphans: 0,
    removed: 0,
    unremoved: 0,
    failed: 0,
  });
});

const NOTHING = {
  deleted: 0,
  histories_deleted: 0,
  inputs_dropped: 0,
  orphans: 0,
  removed: 0,
  unremoved: 0,
  failed: 0,
};

test('sweep run --wait prints the counts', async () => {
  const result = await cli.json('sweep', 'run', '--wait');
  expect(result).toEqual({ workflow_id: expect.any(String), run_id: expect.any(String), ...NOTHING });
});

test('account close has the images of the account removed', async () => {
  const client = await service.client();
  const draft = draftOf(client);
  await service.images.putInput(draft.input.key, Buffer.from('image'), 'image/jpeg');
  await service.stores.jobs.accept(draft);
  await service.stores.jobs.complete(draft.jobId, { results: [], processingMs: 1 });
  await cli.json('account', 'close', client.accountId, '--forfeit');
  await cli.json('sweep', 'run', '--wait');
  expect(await service.stores.removals.pending('', 10)).toMatchObject({ refs: [] });
  await expect(service.images.getInput(draft.input.key)).rejects.toThrow('There is no input image');
});
