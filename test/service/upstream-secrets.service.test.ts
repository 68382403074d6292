import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDeps } from '../../operator/deps.ts';
import { type FakeUpstream, type Reply, SECRET } from '../lib/generators/upstreams/fake.ts';
import { runWith } from '../operator/command-line.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage } from '../setup/images.ts';
import { keptLog } from '../setup/kept-log.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';

const CUSTOM = `Remove the blue piano of Mrs. O'Hara, "12 Elm Street"`;
const SIGNED = 'https://10.0.0.1/r.jpg?Expires=1&Signature=signed-by-us';
const BASE64 = Buffer.alloc(3000, 'pixels').toString('base64');
/** Parts of what only the client, the upstream and the renderer may know. */
const PRIVATE = [SECRET, 'blue piano', "O'Hara", 'Elm Street', 'signed-by-us', BASE64.slice(0, 40)];

const log = keptLog();
const open = closers();
let upstreams: Upstreams;
let service: Service;

beforeAll(async () => {
  ({ upstreams, service } = await openWithUpstreams(open, { GENERATORS: 'bfl' }));
  open.use(await service.startWorker({ logger: pino({ level: 'trace' }, log) }));
});
afterAll(() => open.close());

async function run() {
  const client = await service.client();
  const options = { tier: 'custom', customPrompt: CUSTOM };
  const body = { tool: 'item-removal', image_base64: await sampleImage(), options };
  const created = await postJob(service.app, client.headers, body);
  return ended(service.app, client.headers, created.json().job_id);
}

/** What Temporal keeps of failed attempts, in readable form. */
async function failuresOf(jobId: string): Promise<string> {
  const { events } = await service.temporal.workflow.getHandle(`job:${jobId}`).fetchHistory();
  const failures = (events ?? []).map((event) => [
    event.activityTaskFailedEventAttributes?.failure,
    event.activityTaskStartedEventAttributes?.lastFailure,
  ]);
  return JSON.stringify(failures, (_key, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString() : value,
  );
}

async function shownToOperator(jobId: string): Promise<string> {
  await using deps = openDeps(() => service.config);
  const { out } = await runWith(deps, ['job', 'show', jobId, '--json']);
  return JSON.stringify(JSON.parse(out).generator_calls);
}

/** Says back everything, in the status text, a header and the body. */
const echo =
  (status: number): Reply =>
  (_request, response) => {
    const { body } = upstreams.of('bfl').server.seen.at(-1) ?? {};
    const input = { ...JSON.parse(body?.toString() ?? '{}'), input_image: BASE64 };
    const message = `${SECRET} \u001b[31m ${SIGNED} ${JSON.stringify(input)}`;
    response.writeHead(status, `No ${SECRET}`, { 'x-request': `x-key: ${SECRET}` });
    response.end(JSON.stringify({ detail: [{ loc: ['body'], msg: message, type: 't', input }], message }));
  };

describe('what an upstream says back stays out of Temporal, of the records and of the log', () => {
  test.each<[string, Partial<FakeUpstream['replies']>]>([
    ['when it refuses the request', { submit: echo(400) }],
    [
      'when its task fails',
      { poll: { status: 200, json: { status: 'Error', details: [SECRET, CUSTOM, SIGNED, BASE64] } } },
    ],
    [
      'when its result is at a signed address that is private',
      { poll: { status: 200, json: { status: 'Ready', result: { sample: SIGNED } } } },
    ],
    ['when it redirects to one', { result: { status: 302, headers: { location: SIGNED } } }],
    [
      'when its response is no HTTP',
      { submit: ({ socket }) => void socket.end(`${SECRET} ${CUSTOM}\r\n\r\n`) },
    ],
  ])('%s', async (_, replies) => {
    log.text = '';
    const bfl = upstreams.of('bfl');
    const usual = { ...bfl.replies };
    Object.assign(bfl.replies, replies);
    onTestFinished(() => void Object.assign(bfl.replies, usual));
    const job = await run();

    expect(job.status).toBe('failed');
    const [failures, shown] = await Promise.all([failuresOf(job.job_id), shownToOperator(job.job_id)]);
    expect(failures).toContain('bfl');
    expect(shown).toContain('bfl');
    // The SDK writes its lines in batches, so the last of a job may come after the job has ended.
    await expect.poll(() => log.text).toContain('Activity failed');
    for (const text of [failures, shown, log.text, JSON.stringify(job)])
      for (const secret of PRIVATE) expect(text).not.toContain(secret);
    for (const { error } of JSON.parse(shown)) {
      expect(error).not.toMatch(/\p{Cc}/u);
      expect(error.length).toBeLessThan(700);
    }
  });
});
