import type { Noun } from '../context.ts';
import { accountNoun } from './account.ts';
import { apiNoun } from './api.ts';
import { jobNoun } from './job.ts';
import { keyNoun } from './key.ts';
import { ledgerNoun } from './ledger.ts';
import { packNoun } from './pack.ts';
import { reconcileNoun } from './reconcile.ts';
import { setupNoun } from './setup.ts';
import { sweepNoun } from './sweep.ts';
import { toolNoun } from './tool.ts';
import { usageNoun } from './usage.ts';
import { webhookNoun } from './webhook.ts';

/** Every noun of the command line, in the order of its help. */
export const NOUNS: readonly Noun[] = [
  setupNoun,
  accountNoun,
  keyNoun,
  packNoun,
  ledgerNoun,
  usageNoun,
  jobNoun,
  webhookNoun,
  reconcileNoun,
  sweepNoun,
  toolNoun,
  apiNoun,
];
