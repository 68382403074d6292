import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import { createLogger } from '../../lib/process/log.ts';
import { openDeps } from '../../operator/deps.ts';
import { serveHttp } from '../lib/egress/servers.ts';
import { SECRET as UPSTREAM_KEY } from '../lib/generators/upstreams/fake.ts';
import { runWith } from '../operator/command-line.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { type Collector, startCollector } from '../setup/collector.ts';
import { sampleJpeg } from '../setup/images.ts';
import { keptLog } from '../setup/kept-log.ts';
import { recordMetrics } from '../setup/metrics.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { type Service, startService } from '../setup/service.ts';
import { startUpstreams, type Upstreams } from '../setup/upstreams.ts';
import { deliveryIn, QUICK } from '../setup/webhooks.ts';

/** What somebody sends or gets, and nobody may read in a log, a trace or a metric. Further ones are added by the run. */
const planted: Record<string, string> = {
  'the key of an upstream': UPSTREAM_KEY,
  'a customPrompt': 'Wallpaper with the herons of Lady Featherstone',
  'a description': 'the grand piano that Uncle Barnaby left',
  'the path of an image_url': 'private-album-7c1f',
  'the query of an image_url': 'signature-of-the-image-41ab',
  'the path of a webhook URL': 'hook-for-nobody-else-93d0',
  'the query of a webhook URL': 'token-of-the-hook-55e2',
  'the header of the collector': 'collector-key-8f3b',
  'an unknown API key': `ija_${'Zq7'.repeat(11)}`,
  'bytes of an image': 'MARKER-INSIDE-THE-IMAGE-BYTES',
};

const open = closers();
const { metrics, pages } = recordMetrics();
const log = keptLog();
let measured: string[] = [];
let collector: Collector;
let receiver: Receiver;
let upstreams: Upstreams;
let image: Buffer;
let image_base64: string;
const jobs: Job[] = [];
let accountId: string;

/** Everything that processes tell the outside about themselves. */
const outputs = (): Record<string, string> => ({
  logs: withDecoded(log.text),
  traces: withDecoded(collector.requests.map(({ body }) => body).join('\n')),
  metrics: withDecoded(measured.join('\n')),
});

/** A text, and what is written in base64 in it. */
const withDecoded = (text: string): string =>
  [
    text,
    ...(text.match(/[A-Za-z0-9+/_-]{24,}/g) ?? []).map((part) => Buffer.from(part, 'base64').toString()),
  ].join('\n');

const loggerOf = (name: string) => createLogger({ level: 'trace', pretty: false }, name, log);

beforeAll(async () => {
  collector = open.use(await startCollector());
  receiver = open.use(await startReceiver({ manner: (n) => (n === 0 ? 500 : 204) }));
  upstreams = open.use(await startUpstreams());
  const rendered = await sampleJpeg(64, 48, '#2040a0');
  upstreams.all((fake) => fake.returns(rendered));
  image = withComment(await sampleJpeg(), planted['bytes of an image'] ?? '');
  image_base64 = image.toString('base64');
  planted['an image in base64'] = image_base64.slice(40, 80);
  const host = open.use(
    await serveHttp((_, response) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image)),
  );
  const env = {
    ...upstreams.env,
    ...collector.env,
    GENERATORS: 'openai',
    GENERATORS_FOR_REMOVAL: 'replicate',
    EGRESS_ALLOW_ORIGINS: `${receiver.origin},${host.origin}`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${planted['the header of the collector']}`,
    WORKFLOW_BUNDLE: '',
  };
  await using service = await startService({ env, api: { metrics, logger: loggerOf('api') } });
  planted['the secret key of the store'] = service.config.s3.secretAccessKey;
  // Closed at the end, which sends the last spans.
  const parts = { webhooks: QUICK, unavailableMs: 0, logger: loggerOf('worker') };
  await using _worker = await service.startWorker(parts);
  await useEverything(service, host.origin);
  measured = await pages();
});
afterAll(() => open.close());

/** A JPEG with a comment after its first marker. */
function withComment(jpeg: Buffer, comment: string): Buffer {
  const segment = Buffer.from(`\xff\xfe\x00\x00${comment}`, 'latin1');
  segment.writeUInt16BE(comment.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

/** What one operator and one client do. */
async function useEverything(service: Service, imageOrigin: string): Promise<void> {
  const { app } = service;
  const { hook, headers } = await newClient(service);
  const create = async (body: object, key?: string) => {
    const created = await postJob(app, headers, body, key);
    expect(created.statusCode).toBe(201);
    jobs.push(await ended(app, headers, created.json<Job>().job_id));
  };

  const options = { tier: 'custom', customPrompt: planted['a customPrompt'] };
  await create({ tool: 'wall-treatment', image_base64, options, webhook_url: hook }, 'order-1');
  await create({ tool: 'wall-treatment', image_base64, options, webhook_url: hook }, 'order-1');
  const { 'the path of an image_url': path, 'the query of an image_url': query } = planted;
  await create({
    tool: 'add-furniture-object',
    image_url: `${imageOrigin}/${path}.jpg?signature=${query}`,
    options: { description: planted['a description'] },
  });
  await failWithEcho(create);
  const wrong = { 'x-api-key': planted['an unknown API key'] ?? '' };
  expect((await postJob(app, wrong, { tool: 'pool', image_base64 })).statusCode).toBe(401);
  const [first] = jobs;
  await deliveryIn(service, first?.job_id ?? '', 'delivered');
}

/** The operator creates an account and a key; both secrets are shown once. */
async function newClient(service: Service) {
  await using deps = openDeps(() => service.config);
  const operator = async (...argv: string[]) => JSON.parse((await runWith(deps, [...argv, '--json'])).out);
  const { 'the path of a webhook URL': path, 'the query of a webhook URL': query } = planted;
  const hook = `${receiver.origin}/${path}?token=${query}`;
  const account = await operator('account', 'create', '--name', 'Acme', '--webhook-url', hook);
  accountId = account.account_id;
  const key = await operator('key', 'create', '--account', accountId, '--name', 'Production');
  planted['the secret of the webhooks'] = account.webhook_secret.slice('whsec_'.length);
  planted['an API key'] = key.api_key;
  return { hook, headers: { 'x-api-key': key.api_key } };
}

/** Jobs whose upstreams fail, and repeat everything that they have got. */
async function failWithEcho(create: (body: object) => Promise<void>): Promise<void> {
  const { 'a description': description, 'a customPrompt': customPrompt } = planted;
  const echo = (prompt = '') => `${UPSTREAM_KEY} ${prompt} ${image_base64}`;
  for (const status of [400, 401, 500]) {
    const error = { message: echo(description), code: status === 400 ? 'moderation_blocked' : 'other' };
    upstreams.of('openai').replies.submit = { status, json: { error } };
    await create({ tool: 'add-furniture-object', image_base64, options: { description } });
  }
  const error = echo(customPrompt);
  upstreams.of('replicate').replies.poll = { status: 200, json: { id: 'p1', status: 'failed', error } };
  await create({ tool: 'item-removal', image_base64, options: { tier: 'custom', customPrompt } });
}

describe('a whole run', () => {
  test('has jobs that completed, and jobs that failed', () => {
    expect(jobs.map(({ status }) => status)).toEqual([
      ...['completed', 'completed', 'completed'],
      ...['failed', 'failed', 'failed', 'failed'],
    ]);
  });

  test('names every job in logs and traces, and none in metrics, which would be a series for each', () => {
    for (const [name, text] of Object.entries(outputs()))
      for (const { job_id } of jobs)
        expect(text.includes(job_id), `${job_id} in ${name}`).toBe(name !== 'metrics');
    expect(outputs().metrics).toContain('imagejob_jobs_total{tool="wall-treatment",generator="openai"');
  });

  test('tells nobody what is secret', () => {
    for (const [name, text] of Object.entries(outputs()))
      for (const [what, secret] of Object.entries(planted)) {
        const at = text.indexOf(secret);
        const around = text.slice(Math.max(0, at - 300), at + secret.length + 50);
        expect(at < 0 ? '' : around, `${what} in ${name}`).toBe('');
      }
  });
});

describe('a log line', () => {
  const lines = () =>
    log.text
      .split('\n')
      .filter(Boolean)
      .map((line): Line => JSON.parse(line));
  const having = (msg: string, fields: Line = {}) =>
    lines().filter((line) =>
      Object.entries({ msg, ...fields }).every(([name, value]) => line[name] === value),
    );
  const traceId = expect.stringMatching(/^[0-9a-f]{32}$/);

  test('of a request has the ids of request, job, account and trace', () => {
    const [line] = having('request completed', { method: 'POST', status: 201 });
    const [job] = jobs;
    expect(line).toMatchObject({
      reqId: expect.any(String),
      jobId: job?.job_id,
      accountId,
      trace_id: traceId,
    });
  });

  test('of an activity has those of job, account and trace, of its request', () => {
    const [refused] = jobs.filter(({ status }) => status === 'failed');
    const [line] = having('Activity failed', { jobId: refused?.job_id });
    const [request] = having('request completed', { method: 'POST', jobId: refused?.job_id });
    expect(line).toMatchObject({ activityType: 'renderJob', accountId, trace_id: request?.trace_id });
    expect(line?.err).toMatchObject({ type: 'ApplicationFailure', code: 'generator_refused' });
  });

  test('of a workflow has those of job, account and trace', () => {
    const [job] = jobs;
    const [line] = having('Workflow completed', { jobId: job?.job_id });
    expect(line).toMatchObject({ workflowType: 'jobWorkflow', accountId, trace_id: traceId });
  });
});

type Line = Record<string, unknown>;
