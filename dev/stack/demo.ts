import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { fetch } from 'undici';
import { operate } from './operate.ts';

const Demo = Type.Object({ account_id: Type.String(), api_key: Type.String() });
export type Demo = Static<typeof Demo>;

type Context = { file: string; env: NodeJS.ProcessEnv; signal: AbortSignal };

/** Loads the demo account and key of an earlier start, or creates them. */
export async function prepareDemo(context: Context): Promise<Demo> {
  const { file } = context;
  return existsSync(file) ? Value.Parse(Demo, JSON.parse(readFileSync(file, 'utf8'))) : createDemo(context);
}

/**
 * Calls the API at `base` with the demo key. A key that is no longer valid, because the data was
 * deleted or the key was revoked, is replaced.
 * @throws {Error} when the API does not answer 200 to the new key either
 */
export async function confirmDemo(demo: Demo, base: string, context: Context): Promise<Demo> {
  const { signal } = context;
  if ((await accountStatus(base, demo, signal)) === 200) return demo;
  const replacement = await createDemo(context);
  const status = await accountStatus(base, replacement, signal);
  if (status === 401)
    throw new Error(
      `Another program answers at ${base}: it does not know the key just created. Set another API_PORT.`,
    );
  if (status !== 200) throw new Error(`GET ${base}/v1/account answered ${status} to the demo key`);
  return replacement;
}

async function createDemo({ file, env, signal }: Context): Promise<Demo> {
  const options = { env, signal };
  const Account = Type.Object({ account_id: Type.String() });
  const { account_id } = await operate(Account, ['account', 'create', '--name', 'Demo'], options);
  const Key = Type.Object({ api_key: Type.String() });
  const { api_key } = await operate(
    Key,
    ['key', 'create', '--account', account_id, '--name', 'Demo'],
    options,
  );
  const demo = { account_id, api_key };
  writeFileSync(file, JSON.stringify(demo), { mode: 0o600 });
  return demo;
}

async function accountStatus(base: string, demo: Demo, signal: AbortSignal): Promise<number> {
  const response = await fetch(`${base}/v1/account`, { headers: { 'X-Api-Key': demo.api_key }, signal });
  await response.body?.cancel();
  return response.status;
}
