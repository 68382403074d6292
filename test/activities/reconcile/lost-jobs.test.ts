import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newClient } from '../../setup/records.ts';
import { openReconcileStage } from './stage.ts';

const HOUR_MS = 3_600_000;
type Stage = Awaited<ReturnType<typeof openReconcileStage>>;

/** What a run does about lost jobs. */
async function refundAll({ activities }: Stage) {
  const found = await activities.findLostJobs('');
  const { counts, problems = [] } = await activities.refundLostJobs(found.lost);
  return { found, counts, problems: [...(found.problems ?? []), ...problems].sort() };
}

describe('a job in progress', () => {
  test('is lost when its workflow is closed or unknown, and not when it is open or young', async () => {
    const stage = await openReconcileStage();
    const lost = [
      ...(await stage.createJobs('processing', 2, 'closed')),
      ...(await stage.createJobs('processing', 2)),
    ];
    const others = [
      ...(await stage.createJobs('processing', 2, 'open')),
      ...(await stage.createJobs('completed', 1)),
    ];
    const young = await stage.createJobs('processing', 1);
    stage.age(young, -2 * HOUR_MS);
    const { found, counts } = await refundAll(stage);
    expect(found).toMatchObject({ counts: { checked: 6, failed: 0 }, known: 4, next: null });
    expect(counts).toEqual({ refunded: 4, failed: 0 });
    expect(lost.map(stage.statusOf)).toEqual(lost.map(() => 'failed'));
    expect([...others, ...young].map(stage.statusOf)).not.toContain('failed');
    expect(await stage.stores.ledger.audit(stage.client.accountId)).toEqual([]);
  });

  test('for more than 25 hours is refunded whatever its workflow does, which is terminated', async () => {
    const stage = await openReconcileStage();
    const [overdue = '', slow = ''] = await stage.createJobs('processing', 2, 'open');
    stage.age([overdue], 26 * HOUR_MS);
    stage.age([slow], 24 * HOUR_MS);
    expect((await refundAll(stage)).counts).toEqual({ refunded: 1, failed: 0 });
    expect([overdue, slow].map(stage.statusOf)).toEqual(['failed', 'processing']);
    expect([overdue, slow].map((id) => stage.states.get(stage.workflowIdOf(id)))).toEqual(['closed', 'open']);
  });

  test('that is overdue stays as it is while its workflow cannot be terminated', async () => {
    const stage = await openReconcileStage();
    const [overdue = ''] = await stage.createJobs('processing', 1, 'open');
    stage.age([overdue], 26 * HOUR_MS);
    const { lost } = await stage.activities.findLostJobs('');
    stage.broken.add(stage.workflowIdOf(overdue));
    expect((await stage.activities.refundLostJobs(lost)).counts).toEqual({ refunded: 0, failed: 1 });
    expect(stage.statusOf(overdue)).toBe('processing');
  });

  test('that ends before it is refunded keeps its end', async () => {
    const stage = await openReconcileStage();
    const [jobId = ''] = await stage.createJobs('processing', 1);
    const { lost } = await stage.activities.findLostJobs('');
    await stage.stores.jobs.complete(jobId, { results: [], processingMs: 1 });
    expect((await stage.activities.refundLostJobs(lost)).counts).toEqual({ refunded: 0, failed: 0 });
    expect(stage.statusOf(jobId)).toBe('completed');
  });

  test('that cannot be refunded, or whose workflow cannot be checked, does not stop the others', async () => {
    const stage = await openReconcileStage();
    const lost = (await stage.createJobs('processing', 5)).sort();
    const [first = '', second = ''] = lost;
    stage.broken.add(first).add(stage.workflowIdOf(second));
    const { found, counts, problems } = await refundAll(stage);
    expect([found.counts, counts]).toEqual([
      { checked: 5, failed: 1 },
      { refunded: 3, failed: 1 },
    ]);
    expect(problems).toEqual(stage.problemsOf(first, second));
    expect(lost.map(stage.statusOf)).toEqual(['processing', 'processing', 'failed', 'failed', 'failed']);
    stage.broken.clear();
    expect((await refundAll(stage)).counts).toEqual({ refunded: 2, failed: 0 });
  });
});

describe('the loss of jobs', () => {
  /** Why the lost jobs are not to be refunded. */
  async function implausible({ activities }: Stage): Promise<string | null> {
    const { counts, lost, known, completed } = await activities.findLostJobs('');
    return activities.implausibleLoss({ checked: counts.checked ?? 0, lost: lost.length, known, completed });
  }

  test('is implausible when it is more than 20 jobs and more than half of them', async () => {
    const stage = await openReconcileStage();
    await stage.createJobs('processing', 20, 'open');
    await stage.createJobs('processing', 20, 'closed');
    expect(await implausible(stage)).toBeNull();
    await stage.createJobs('processing', 1, 'closed');
    expect(await implausible(stage)).toContain('21 of the 41 jobs in progress');
    expect(stage.stopped).toEqual([expect.stringContaining('operator reconcile run --confirm')]);
    await stage.createJobs('processing', 1, 'open');
    expect(await implausible(stage)).toBeNull();
  });

  test('of a single job is implausible when its workflow has completed it: MongoDB was restored', async () => {
    const stage = await openReconcileStage();
    await stage.createJobs('processing', 20, 'open');
    const [failed = '', completed = ''] = await stage.createJobs('processing', 2, 'closed');
    expect(await implausible(stage)).toBeNull();
    stage.completedBy.add(stage.workflowIdOf(completed));
    expect(await implausible(stage)).toContain('1 jobs in progress were completed by their workflows');
    expect(stage.stopped).toEqual([expect.stringContaining('operator reconcile --since')]);
    expect([failed, completed].map(stage.statusOf)).toEqual(['processing', 'processing']);
  });

  test('is none when their workflows end the jobs while they are being checked', async () => {
    const stage = await openReconcileStage();
    const ids = await stage.createJobs('processing', 30, 'open');
    const { jobs } = stage.stores;
    const idOf = new Map(ids.map((id) => [stage.workflowIdOf(id), id]));
    stage.deps.workflows.stateOf = async (workflowId) => {
      await jobs.complete(idOf.get(workflowId) ?? '', { results: [], processingMs: 1 });
      return 'closed';
    };
    expect(await stage.activities.findLostJobs('')).toMatchObject({ lost: [], known: 30 });
  });

  test('of a few jobs is implausible when Temporal has forgotten those that ended today as well', async () => {
    const stage = await openReconcileStage();
    await stage.createJobs('processing', 2);
    expect(await implausible(stage)).toBeNull();
    await stage.createJobs('completed', 3);
    expect(await implausible(stage)).toContain('the workflow of none of the 2 jobs in progress');
    await stage.createJobs('completed', 1, 'closed');
    expect(await implausible(stage)).toBeNull();
  });

  test('is not judged by jobs that ended days ago, nor by those that were lost themselves', async () => {
    const stage = await openReconcileStage();
    stage.age(await stage.createJobs('completed', 3), 48 * HOUR_MS);
    await stage.createJobs('processing', 2);
    await refundAll(stage);
    await stage.createJobs('processing', 2);
    expect(await implausible(stage)).toBeNull();
  });
});

test('jobs of a closed account are deleted with their images, though one of them cannot be', async () => {
  const stage = await openReconcileStage();
  const { activities, stores, images, createJobs, broken, statusOf } = stage;
  const owner = await newClient(stores);
  const left = await createJobs('completed', 5, undefined, owner);
  await stores.accounts.close(owner.accountId, 45);
  const others = await createJobs('completed', 2);
  const inputs = left.flatMap((id) => stores.books.jobs.get(id)?.inputs ?? []);
  for (const { key } of inputs) await images.putInput(key, Buffer.from('x'), 'image/jpeg');
  const [stuck = '', ...rest] = left;
  broken.add(stuck);
  const { counts, problems } = await activities.deleteJobsOfClosedAccounts('');
  expect([counts, problems]).toEqual([{ deleted: 4, failed: 1 }, stage.problemsOf(stuck)]);
  expect(rest.map(statusOf)).toEqual(rest.map(() => 'deleted'));
  expect(others.map(statusOf)).toEqual(['completed', 'completed']);
  const stored = (await images.list('inputs')).found.map(({ key }) => key);
  expect(stored).toEqual(inputs.slice(0, 1).map(({ key }) => key));
  broken.clear();
  expect((await activities.deleteJobsOfClosedAccounts('')).counts).toEqual({ deleted: 1, failed: 0 });
});

test('ended jobs with open calls are found page by page', async () => {
  const { activities, stores, createJobs } = await openReconcileStage();
  const ended = await createJobs('processing', 25);
  const running = await createJobs('processing', 2);
  for (const jobId of [...ended, ...running])
    await stores.generatorCalls.begin(
      jobId,
      { id: randomUUID(), generator: 'bfl', model: 'flux', mayBeCharged: true },
      [],
    );
  for (const jobId of ended)
    await stores.jobs.fail(jobId, { error: 'No.', failureReason: 'no_result', processingMs: null });
  const first = await activities.findOpenCalls('');
  const second = await activities.findOpenCalls(first.next ?? '');
  expect([...first.jobIds, ...second.jobIds].sort()).toEqual(ended.toSorted());
  expect(second.next).toBeNull();
});
