import type { Noun } from '../context.ts';
import { account } from './account.ts';
import { api } from './api.ts';
import { job } from './job.ts';
import { key } from './key.ts';
import { ledger } from './ledger.ts';
import { pack } from './pack.ts';
import { reconcile } from './reconcile.ts';
import { reconcileSince } from './reconcile-since.ts';
import { setup } from './setup.ts';
import { sweep } from './sweep.ts';
import { tool } from './tool.ts';
import { usage } from './usage.ts';
import { webhook } from './webhook.ts';

/** Every noun of the command line, in the order of its help. */
export const NOUNS: readonly Noun[] = [
  setup,
  account,
  key,
  pack,
  ledger,
  usage,
  job,
  webhook,
  reconcile,
  sweep,
  reconcileSince,
  tool,
  api,
];
