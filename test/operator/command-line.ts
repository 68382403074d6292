import '../setup/context.ts';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { type Config, loadConfig } from '../../config.ts';
import { type Deps, openDeps } from '../../operator/deps.ts';
import { run } from '../../operator/run.ts';

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs one command, away from a terminal unless an answer to its question is given. */
export async function runWith(deps: Deps, argv: readonly string[], answer?: string): Promise<Ended> {
  const terminal = { isTTY: answer !== undefined };
  const stdin = Object.assign(new PassThrough(), terminal);
  const stderr = Object.assign(new PassThrough(), terminal);
  const stdout = new PassThrough();
  const printed = Promise.all([text(stdout), text(stderr)]);
  if (answer !== undefined) stdin.end(answer);
  const code = await run(argv, deps, { stdin, stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, out, err };
}

/** The operator's command line over a database and buckets of its own, run in this process. */
export function openCommandLine(overrides: Record<string, string> = {}) {
  const own = randomUUID().slice(0, 8);
  const config: Config = loadConfig({
    ...inject('env'),
    MONGODB_DATABASE: `test_${own}`,
    S3_INPUTS_BUCKET: `inputs-${own}`,
    S3_RESULTS_BUCKET: `results-${own}`,
    TASK_QUEUE_PREFIX: `${own}-`,
    ...overrides,
  });
  const deps = openDeps(() => config);

  const operator = (argv: readonly string[], answer?: string) => runWith(deps, argv, answer);

  return {
    deps,
    stores: deps.stores(),
    operator,
    /** Runs a command that succeeds, for its JSON. */
    async json<T = Record<string, unknown>>(...argv: string[]): Promise<T> {
      const { code, out, err } = await operator([...argv, '--json']);
      if (code !== 0) throw new Error(`operator ${argv.join(' ')} ended with ${code}: ${err}`);
      return JSON.parse(out);
    },
    async [Symbol.asyncDispose]() {
      await deps.mongo().db.dropDatabase();
      await deps[Symbol.asyncDispose]();
    },
  };
}
export type CommandLine = ReturnType<typeof openCommandLine>;

/** An account made on the command line, with one key. */
export async function newAccount({ json }: CommandLine) {
  const { account_id } = await json<{ account_id: string }>('account', 'create', '--name', 'Acme');
  const key = await json<{ key_id: string; api_key: string }>(
    ...['key', 'create', '--account', account_id, '--name', 'Production'],
  );
  return { accountId: account_id, keyId: key.key_id, apiKey: key.api_key };
}
