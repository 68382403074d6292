import type { Filter, UpdateFilter } from 'mongodb';
import type { EndpointHealth } from '../account-store.ts';
import type { AccountDocument, Collections } from './documents.ts';

/** See AccountStore.recordEndpointHealth. */
export async function recordEndpointHealth(
  { accounts }: Collections,
  accountId: string,
  url: string,
  health: EndpointHealth,
): Promise<void> {
  const { only = {}, update } = changeOf(health);
  await accounts.updateOne({ _id: accountId, 'webhook.url': url, ...only }, update);
}

/** The update, and which endpoints it is limited to. */
interface Change {
  only?: Filter<AccountDocument>;
  update: UpdateFilter<AccountDocument>;
}

function changeOf(health: EndpointHealth): Change {
  if (health === 'healthy')
    return { update: { $unset: { 'webhook.failingSince': true, 'webhook.failedCycles': true } } };
  if ('failingSince' in health) return { update: { $min: { 'webhook.failingSince': health.failingSince } } };
  if ('failedCycle' in health) return failedCycle(health.failedCycle);
  const { disabledReason, ifFailingSince } = health;
  return {
    only: ifFailingSince === undefined ? {} : { 'webhook.failingSince': ifFailingSince },
    update: { $set: { 'webhook.disabledReason': disabledReason } },
  };
}

const failedCycle = ({ from, until }: { from: Date; until: Date }): Change => ({
  only: {
    'webhook.failingSince': { $lte: from },
    'webhook.failedCycles.until': { $not: { $gt: from } },
  },
  update: {
    $inc: { 'webhook.failedCycles.count': 1 },
    $set: { 'webhook.failedCycles.until': until },
  },
});
