import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { fetch } from 'undici';
import { operate } from './operator.ts';

const Demo = Type.Object({ account_id: Type.String(), api_key: Type.String() });
export type Demo = Static<typeof Demo>;

/** `base` is where this machine reaches the API, with its /api segment. */
type Context = { file: string; base: string; env: NodeJS.ProcessEnv; signal: AbortSignal };

/** The demo key of an earlier start when the API still takes it, else a new account with a new key. */
export async function ensureDemo({ file, base, env, signal }: Context): Promise<Demo> {
  const known = readDemo(file);
  if (known && (await accountStatus(base, known, signal)) === 200) return known;
  const options = { env, signal };
  const account = await operate(
    Type.Object({ account_id: Type.String() }),
    ['account', 'create', '--name', 'Demo'],
    options,
  );
  const key = await operate(
    Type.Object({ api_key: Type.String() }),
    ['key', 'create', '--account', account.account_id, '--name', 'Demo'],
    options,
  );
  const demo = { account_id: account.account_id, api_key: key.api_key };
  writeFileSync(file, JSON.stringify(demo), { mode: 0o600 });
  const status = await accountStatus(base, demo, signal);
  if (status !== 200) throw new Error(`GET ${base}/v1/account answered ${status} to the demo key`);
  return demo;
}

async function accountStatus(base: string, demo: Demo, signal: AbortSignal): Promise<number> {
  const response = await fetch(`${base}/v1/account`, { headers: { 'X-Api-Key': demo.api_key }, signal });
  await response.body?.cancel();
  return response.status;
}

function readDemo(file: string): Demo | undefined {
  if (!existsSync(file)) return undefined;
  return Value.Parse(Demo, JSON.parse(readFileSync(file, 'utf8')));
}
