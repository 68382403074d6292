import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliveryIdOf } from '../../lib/domain/delivery.ts';
import { attempted, redeliver } from '../../operator/deliveries.ts';
import { type CommandLine, openCommandLine, runWith } from '../operator/command-line.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { generatorsOf } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import type { Receiver } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver, QUICK } from '../setup/webhooks.ts';

const open = closers();
let service: Service;
let receiver: Receiver;
let cli: CommandLine;
let image_base64: string;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  cli = openCommandLine(service.config);
  open.use(cli.deps);
  image_base64 = await sampleImage();
  open.use(
    await service.startWorker({
      webhooks: QUICK,
      generators: generatorsOf({ kind: 'local', name: 'preview' }),
    }),
  );
});
afterAll(() => open.close());

/** A client with one job whose webhook delivery has ended in `state`. */
async function delivered(status: number, state: 'delivered' | 'failed') {
  receiver.behave((_, response) => void response.writeHead(status).end('noted'));
  const client = await clientWith(service, receiver.url);
  const created = await postJob(service.app, client.headers, { tool: 'image-enhancement', image_base64 });
  const { job_id } = await ended(service.app, client.headers, created.json().job_id);
  await deliveryIn(service, job_id, state);
  return { ...client, job_id };
}

describe('webhook list', () => {
  test('shows each delivery with its attempts', async () => {
    const { accountId, job_id } = await delivered(200, 'delivered');
    const rows = await cli.json<Record<string, unknown>[]>('webhook', 'list', '--account', accountId);
    expect(rows).toEqual([
      {
        delivery_id: deliveryIdOf(job_id),
        account_id: accountId,
        job_id,
        type: 'job.completed',
        target: 'account',
        url: receiver.url,
        state: 'delivered',
        reason: null,
        tries: 1,
        last_status: 200,
        next_attempt_at: null,
        created_at: expect.stringMatching(/Z$/),
        attempts: [
          {
            at: expect.stringMatching(/Z$/),
            url: receiver.url,
            status: 200,
            ms: expect.any(Number),
            error: null,
            answer: 'noted',
          },
        ],
      },
    ]);
    expect(await cli.json('webhook', 'show', deliveryIdOf(job_id))).toEqual(rows[0]);
    const { out } = await cli.operator(['webhook', 'list', '--account', accountId]);
    expect(out).toContain(deliveryIdOf(job_id));
  });
});

describe('webhook list --failed', () => {
  test('shows failed deliveries of every account, with their time and job', async () => {
    const failed = await delivered(500, 'failed');
    const { job_id: other } = await delivered(200, 'delivered');
    const rows = await cli.json<Record<string, unknown>[]>('webhook', 'list', '--failed');
    expect(rows).toContainEqual(
      expect.objectContaining({
        job_id: failed.job_id,
        account_id: failed.accountId,
        failed_at: expect.stringMatching(/Z$/),
        last_status: 500,
      }),
    );
    expect(rows.map(({ job_id }) => job_id)).not.toContain(other);
    const { out } = await cli.operator(['webhook', 'list', '--failed', '--account', failed.accountId]);
    expect(out).toMatch(/^FAILED AT +ACCOUNT ID +JOB ID/);
    expect(out).toContain(failed.job_id);
    expect(await cli.operator(['webhook', 'list'])).toMatchObject({
      code: 1,
      err: 'Give --account, --failed or both.\n',
    });
  });

  test('attempts are a table in text', async () => {
    const { job_id } = await delivered(500, 'failed');
    const { out } = await cli.operator(['webhook', 'show', deliveryIdOf(job_id)]);
    expect(out).toMatch(/^attempts\n\nAT +URL +STATUS +MS +ERROR +ANSWER\n\d{4}-\d\d-\d\d /m);
  });
});

describe('webhook redeliver --failed-since', () => {
  test('repeats every delivery that failed since then', async () => {
    const before = new Date().toISOString();
    const failed = [await delivered(500, 'failed'), await delivered(500, 'failed')];
    receiver.behave(204);
    const again = ['webhook', 'redeliver', '--failed-since', before];
    const rows = await cli.json<Record<string, unknown>[]>(...again);
    expect(rows.map(({ job_id, state }) => [job_id, state]).sort()).toEqual(
      failed.map(({ job_id }) => [job_id, 'delivered']).sort(),
    );
    expect((await cli.operator(again)).out).toBe('No delivery has failed since then.\n');
  });

  test('leaves out what another command has redelivered while it asked', async () => {
    const before = new Date().toISOString();
    const { accountId, job_id } = await delivered(500, 'failed');
    receiver.behave(204);
    const again = ['webhook', 'redeliver', '--failed-since', before, '--account', accountId];
    const posts = receiver.receivedFor(job_id).length;
    const { code, out } = await cli.operator(again, async () => {
      expect(await cli.json(...again)).toMatchObject([{ job_id, state: 'delivered' }]);
      return 'y\n';
    });
    expect([code, out]).toEqual([0, 'Another command has delivered them again meanwhile, or is about to.\n']);
    expect(receiver.receivedFor(job_id)).toHaveLength(posts + 1);
  });

  test('does not replace a redelivery that another command has just started', async () => {
    const before = new Date().toISOString();
    const { accountId, job_id } = await delivered(500, 'failed');
    const again = ['webhook', 'redeliver', '--failed-since', before, '--account', accountId];
    const posts = receiver.receivedFor(job_id).length;
    // No worker takes it, so the delivery is still failed.
    const queues = {
      ...service.deps.jobGateway.queues,
      jobs: `${service.config.temporal.taskQueuePrefix}none`,
    };
    const started = await redeliver(service.temporal, queues, { id: deliveryIdOf(job_id), accountId });
    const { code, out } = await cli.operator(again);
    expect([code, out]).toEqual([0, expect.stringContaining('or is about to.')]);
    expect(receiver.receivedFor(job_id)).toHaveLength(posts);
    await service.temporal.workflow.getHandle(started).terminate();
  });

  test('sends nothing again that another command has delivered between its look and its start', async () => {
    const before = new Date().toISOString();
    const { accountId, job_id } = await delivered(500, 'failed');
    receiver.behave(204);
    const again = ['webhook', 'redeliver', '--failed-since', before, '--account', accountId];
    const posts = receiver.receivedFor(job_id).length;
    const { deliveries, ...stores } = cli.deps.stores();
    let others = 0;
    const find = async (id: string) => {
      const found = await deliveries.find(id);
      others += 1;
      if (others === 1) expect(await cli.json(...again)).toMatchObject([{ job_id, state: 'delivered' }]);
      return found;
    };
    const deps = { ...cli.deps, stores: () => ({ ...stores, deliveries: { ...deliveries, find } }) };
    const { code, out } = await runWith(deps, again);
    expect([code, out]).toEqual([0, 'Another command has delivered them again meanwhile, or is about to.\n']);
    expect(receiver.receivedFor(job_id)).toHaveLength(posts + 1);
  });

  test('ends with 1 when a receiver fails again', async () => {
    const before = new Date().toISOString();
    const { accountId, job_id } = await delivered(500, 'failed');
    const again = ['webhook', 'redeliver', '--failed-since', before, '--account', accountId];
    const { code, out, err } = await cli.operator(again);
    expect([code, err]).toEqual([1, '0 of 1 events were delivered; see webhook list for the others.\n']);
    expect(out).toContain(job_id);
    await deliveryIn(service, job_id, 'failed');
  });

  test('takes either a delivery or a time', async () => {
    for (const command of [['redeliver'], ['redeliver', 'msg_a', '--failed-since', '1h']])
      expect((await cli.operator(['webhook', ...command])).err).toBe(
        'Give either a delivery or --failed-since.\n',
      );
  });
});

describe('webhook redeliver', () => {
  test('ends with 1 when the receiver fails again', async () => {
    const { job_id } = await delivered(500, 'failed');
    const { code, out, err } = await cli.operator(['webhook', 'redeliver', deliveryIdOf(job_id)]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^(The receiver did not take it|All \d attempts)/),
    ]);
    expect(out).toContain(job_id);
    await deliveryIn(service, job_id, 'failed');
  });

  test('repeats a failed delivery and reports the result', async () => {
    const { job_id } = await delivered(500, 'failed');
    receiver.behave(204);
    const again = await cli.json('webhook', 'redeliver', deliveryIdOf(job_id));
    expect(again).toMatchObject({ state: 'delivered', tries: 1, last_status: 204 });
    expect(await cli.operator(['webhook', 'redeliver', deliveryIdOf(job_id)])).toMatchObject({
      code: 0,
      out: expect.stringContaining('The receiver took it.'),
    });
  });

  test('reports the outcome of its own cycle', async () => {
    const { accountId, job_id } = await delivered(500, 'failed');
    receiver.behave(204);
    const { queues } = service.deps.jobGateway;
    const [cycle, id] = [randomUUID(), deliveryIdOf(job_id)];
    await redeliver(service.temporal, queues, { id, accountId }, { cycle });
    expect(await attempted(cli.deps, id, { cycle })).toMatchObject({ cycle, state: 'delivered', tries: 1 });
  });

  test('refuses an unknown delivery and that of a deleted job', async () => {
    expect(await cli.operator(['webhook', 'redeliver', 'msg_none'])).toMatchObject({
      code: 1,
      err: 'There is no delivery msg_none.\n',
    });
    const { headers, job_id } = await delivered(200, 'delivered');
    await service.app.inject({ method: 'DELETE', url: `/api/v1/jobs/${job_id}`, headers });
    expect(await cli.operator(['webhook', 'redeliver', deliveryIdOf(job_id)])).toMatchObject({
      code: 1,
      err: expect.stringContaining('The job was deleted'),
    });
  });
});

describe('webhook test', () => {
  test('sends a test event and shows the response of the receiver', async () => {
    receiver.behave((_, response) => void response.writeHead(418).end('a teapot'));
    const { accountId } = await clientWith(service, receiver.url);
    const { code, out, err } = await cli.operator(['webhook', 'test', '--account', accountId, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(err).error.message).toContain('All 1 attempts failed.');
    const shown = JSON.parse(out);
    expect(shown).toMatchObject({
      type: 'test.ping',
      job_id: null,
      state: 'failed',
      attempts: [{ status: 418, answer: 'a teapot' }],
    });
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(shown.delivery_id);
  });

  test('needs an endpoint', async () => {
    const { accountId } = await clientWith(service, null);
    expect(await cli.operator(['webhook', 'test', '--account', accountId])).toMatchObject({
      code: 1,
      err: `Account ${accountId} has no webhook endpoint. Set one: account webhook ${accountId} --url URL\n`,
    });
  });

  test('reaches a disabled endpoint again once it is set again', async () => {
    const { accountId, job_id } = await delivered(410, 'failed');
    await expect
      .poll(() => cli.json('account', 'show', accountId))
      .toMatchObject({ webhook_disabled: expect.stringContaining('410 Gone') });
    receiver.behave(200);
    expect(await cli.json('account', 'webhook', accountId, '--url', receiver.url)).toMatchObject({
      webhook_disabled: null,
    });
    expect(await cli.json('webhook', 'redeliver', deliveryIdOf(job_id))).toMatchObject({
      state: 'delivered',
    });
  });
});
