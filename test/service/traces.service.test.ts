import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import '../setup/context.ts';
import type { Job } from '../../lib/contract/schemas.ts';
import { deliveryIdOf } from '../../lib/domain/delivery.ts';
import { GeneratorError } from '../../lib/generators/errors.ts';
import { redeliver } from '../../operator/deliveries.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { type CollectedSpan, type Collector, startCollector } from '../setup/collector.ts';
import { invert, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { type Service, startService } from '../setup/service.ts';
import { clientWith, deliveryIn, QUICK } from '../setup/webhooks.ts';

const open = closers();
let collector: Collector;
let receiver: Receiver;
let service: Service;
let image_base64: string;
let failures = 0;

beforeAll(async () => {
  collector = open.use(await startCollector());
  receiver = open.use(await startReceiver());
  const env = { ...collector.env, EGRESS_ALLOW_ORIGINS: receiver.origin, WORKFLOW_BUNDLE: '' };
  service = open.use(await startService({ env }));
  const generators = scriptedGenerators({
    declutter: async (request) => {
      failures += 1;
      if (failures > 1) return invert(request);
      throw new GeneratorError({ kind: 'unavailable', retryAfterMs: 1 }, 'The model is down.');
    },
  });
  open.use(await service.startWorker({ webhooks: QUICK, generators }));
  image_base64 = await sampleImage();
});
afterAll(() => open.close());

const REQUEST = 'POST /api/v1/jobs';
const RENDER = ['RunActivity:renderJob', 'generate scripted'];
const JOB = [REQUEST, 'UpdateWithStartWorkflow:accept', 'RunWorkflow:jobWorkflow', ...RENDER];

/** Runs a job to its end; only the request that creates it has the `traceparent`. */
async function run({ headers }: { headers: Record<string, string> }, { traceId, key, ...body }: Run = {}) {
  const sent = traceId === undefined ? headers : { ...headers, traceparent: `00-${traceId}-${CALLER}-00` };
  const response = await postJob(service.app, sent, { tool: 'pool', image_base64, ...body }, key);
  expect(response.statusCode).toBe(201);
  return ended(service.app, headers, response.json<Job>().job_id);
}
interface Run {
  traceId?: string;
  /** Idempotency-Key */
  key?: string;
  tool?: string;
}

const CALLER = '00f067aa0ba902b7';
const newTraceId = () => randomBytes(16).toString('hex');

/** The names of a span and those that enclose it, from the outside in. */
function pathTo(trace: readonly CollectedSpan[], span: CollectedSpan): string[] {
  const parent = trace.find(({ spanId }) => spanId === span.parentSpanId);
  return parent === undefined ? [span.name] : [...pathTo(trace, parent), span.name];
}

function named(trace: readonly CollectedSpan[], name: string): CollectedSpan {
  const [span, ...others] = trace.filter((each) => each.name === name);
  if (span === undefined || others.length > 0) throw new Error(`there is not one span ${name}`);
  return span;
}

const WORKFLOW = [REQUEST, 'UpdateWithStartWorkflow:accept', 'RunWorkflow:jobWorkflow'];
const activity = (name: string) => [...WORKFLOW, `StartActivity:${name}`, `RunActivity:${name}`];

describe('the trace of a job', () => {
  const traceId = newTraceId();
  let trace: CollectedSpan[];
  let job: Job;
  let accountId: string;

  beforeAll(async () => {
    const client = await clientWith(service, receiver.url);
    accountId = client.accountId;
    job = await run(client, { traceId });
    trace = await collector.traceWith(traceId, [...JOB, 'RunActivity:deliverWebhook', 'POST webhook']);
  });

  test('leads from the request through workflow and activities to the upstream and the webhook', () => {
    const paths = trace.map((span) => pathTo(trace, span).join(' > '));
    const expected = [
      activity('acceptJob'),
      [...activity('renderJob'), 'generate scripted'],
      [...activity('deliverWebhook'), 'POST webhook'],
    ];
    for (const path of expected) expect(paths).toContain(path.join(' > '));
  });

  test('has spans of the three processes, and is the trace of the caller', () => {
    const services = new Set(trace.map(({ service: name }) => name));
    expect([...services].sort()).toEqual(['imagejob-api', 'imagejob-renderer', 'imagejob-worker']);
    expect(named(trace, REQUEST).parentSpanId).toBe(CALLER);
  });

  test('goes on at the receiver of the webhook', () => {
    const [received] = receiver.receivedFor(job.job_id);
    const { spanId } = named(trace, 'POST webhook');
    expect(received?.headers.traceparent).toBe(`00-${traceId}-${spanId}-01`);
  });

  test('is found by the ids of job, account and request', () => {
    const ids = { 'imagejob.job_id': job.job_id, 'imagejob.account_id': accountId };
    expect(named(trace, REQUEST).attributes).toMatchObject({
      ...ids,
      'imagejob.request_id': expect.any(String),
      'http.route': '/api/v1/jobs',
      'http.response.status_code': 201,
    });
    expect(named(trace, 'RunActivity:renderJob').attributes).toMatchObject(ids);
    expect(named(trace, 'generate scripted').attributes).toEqual({
      'imagejob.generator': 'scripted',
      'imagejob.model': 'script',
    });
  });

  test('costs the history of its workflow no event', async () => {
    const { events } = await service.temporal.workflow.getHandle(`job:${job.job_id}`).fetchHistory();
    expect(events).toHaveLength(untracedEvents('job-completed-with-webhook'));
  });
});

test('both attempts of a render are in the trace, with why the first one failed', async () => {
  const traceId = newTraceId();
  await run(await service.client(), { traceId, tool: 'declutter' });
  const trace = await collector.traceWith(traceId, [...JOB, ...RENDER]);
  const attempts = trace.filter(({ name }) => name === 'RunActivity:renderJob');
  expect(attempts.map(({ attributes }) => attributes['imagejob.attempt']).sort()).toEqual([1, 2]);
  for (const attempt of attempts) expect(pathTo(trace, attempt)).toEqual(activity('renderJob'));
  const calls = trace.filter(({ name }) => name === 'generate scripted');
  const kinds = calls.map(({ attributes }) => attributes['error.type']);
  expect(kinds.sort()).toEqual(['unavailable', undefined]);
});

test('an idempotent replay is a span of its own that names the job', async () => {
  const client = await service.client();
  const [first, replayed] = [newTraceId(), newTraceId()];
  const job = await run(client, { traceId: first, key: 'order-1' });
  await collector.traceWith(first, JOB);
  await run(client, { traceId: replayed, key: 'order-1' });
  const [span, ...others] = await collector.traceWith(replayed, [REQUEST]);
  expect(others).toEqual([]);
  expect(span?.attributes['imagejob.job_id']).toBe(job.job_id);
});

test('a redelivery is a trace of its own that names the job', async () => {
  const client = await clientWith(service, receiver.url);
  const { accountId } = client;
  const job = await run(client);
  const { id } = await deliveryIn(service, job.job_id, 'delivered');
  const workflowId = await redeliver(service.temporal, service.deps.jobGateway.queues, { id, accountId });
  await service.temporal.workflow.getHandle(workflowId).result();
  const [, sent] = receiver.receivedFor(job.job_id);
  const traceId = sent?.headers.traceparent?.split('-')[1] ?? '';
  const trace = await collector.traceWith(traceId, [
    'RunWorkflow:redeliveryWorkflow',
    'RunActivity:deliverWebhook',
    'POST webhook',
  ]);
  expect(trace.some(({ name }) => name === REQUEST)).toBe(false);
  expect(named(trace, 'RunWorkflow:redeliveryWorkflow').parentSpanId).toBeUndefined();
  expect(named(trace, 'RunActivity:deliverWebhook').attributes).toMatchObject({
    'imagejob.job_id': job.job_id,
    'imagejob.delivery_id': deliveryIdOf(job.job_id),
  });
});

test('a workflow with a trace replays where traces are switched off later', async () => {
  const traceId = newTraceId();
  const job = await run(await service.client(), { traceId });
  const history = await service.temporal.workflow.getHandle(`job:${job.job_id}`).fetchHistory();
  const workflowBundle = { codePath: inject('env').WORKFLOW_BUNDLE ?? '' };
  await Worker.runReplayHistory({ workflowBundle }, history);
});

/** The number of events in the recorded history, which has no traces. */
function untracedEvents(history: string): number {
  const json = readFileSync(
    join(import.meta.dirname, '..', 'workflows', 'histories', `${history}.json`),
    'utf8',
  );
  return (JSON.parse(json) as { events: unknown[] }).events.length;
}
