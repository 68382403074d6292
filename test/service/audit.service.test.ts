import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRetention } from '../../operator/runs.ts';
import { closers } from '../setup/closers.ts';
import { keptLog } from '../setup/kept-log.ts';
import { recordMetrics } from '../setup/metrics.ts';
import { type Service, startService } from '../setup/service.ts';

/** More than fit into two pages. */
const ACCOUNTS = 5;
const open = closers();
const log = keptLog();
const { metrics, values } = recordMetrics();
let service: Service;
let accountIds: string[];
/** Accounts whose audit fails. */
const broken = new Set<string>();

beforeAll(async () => {
  service = open.use(await startService({ api: { metrics } }));
  const { ledger } = service.stores;
  const audit: typeof ledger.audit = async (accountId = '', onPage) => {
    if (broken.has(accountId)) throw new Error('It is broken.');
    return ledger.audit(accountId, onPage);
  };
  const stores = { ...service.stores, ledger: { ...ledger, audit } };
  open.use(
    await service.startWorker({ stores, retention: { auditPage: 2 }, logger: pino({ level: 'error' }, log) }),
  );
  const clients = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.client()));
  accountIds = clients.map(({ accountId }) => accountId);
});
afterAll(() => open.close());

async function runRetention(): Promise<void> {
  const { workflowId } = await startRetention(service.temporal, service.config.temporal.taskQueuePrefix);
  await service.temporal.workflow.getHandle(workflowId).result();
}

const setBalances = (balance: number) =>
  service.mongo.db.collection('accounts').updateMany({}, { $set: { balance } });

test('the retention run audits all ledgers, and says what it has found in metrics and log', async () => {
  await setBalances(51);
  await runRetention();
  const { at } = await service.stores.ledger.lastAudit();
  expect(await values('imagejob_ledger_breaches')).toEqual({ '{}': ACCOUNTS });
  const age = Object.values(await values('imagejob_ledger_audit_age_seconds'));
  expect(age).toEqual([expect.closeTo((Date.now() - at.getTime()) / 1000, -2)]);
  for (const id of accountIds)
    await expect
      .poll(() => log.text)
      .toContain(`account ${id}: the balance is 51, but the ledger ends at 50`);

  await setBalances(50);
  const [first = ''] = accountIds;
  broken.add(first);
  await expect(runRetention()).rejects.toMatchObject({
    cause: { message: `Auditing the ledgers: ${first}: It is broken.` },
  });
  expect(await service.stores.ledger.lastAudit()).toEqual({ at, breaches: ACCOUNTS });

  broken.clear();
  await runRetention();
  expect(await service.stores.ledger.lastAudit()).toMatchObject({ breaches: 0 });
  expect(await values('imagejob_ledger_breaches')).toEqual({ '{}': 0 });
});
