import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { prepareDatabase } from '../../lib/stores/mongo/setup.ts';
import { type Deps, openDeps } from '../../operator/deps.ts';
import { runOperator } from '../../operator/run.ts';
import { ownConfig } from '../setup/own-config.ts';

export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/**
 * What is typed at the question: at once, or when the function has returned it, which runs while
 * the command asks.
 */
type Answer = string | (() => Promise<string>);

/** Runs one command, on a terminal only if an answer to its question is given. */
export async function runWith(deps: Deps, argv: readonly string[], answer?: Answer): Promise<CommandResult> {
  const terminal = { isTTY: answer !== undefined };
  const stdin = Object.assign(new PassThrough(), terminal);
  const stderr = Object.assign(new PassThrough(), terminal);
  const stdout = new PassThrough();
  const output = Promise.all([text(stdout), text(stderr)]);
  if (typeof answer === 'string') stdin.end(answer);
  else if (answer !== undefined) stderr.once('data', async () => stdin.end(await answer()));
  const code = await runOperator(argv, deps, { stdin, stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await output;
  return { code, out, err };
}

/**
 * The operator's command line, run in this process; by default with its own database and buckets.
 */
export function openCommandLine(config = ownConfig()) {
  const deps = openDeps(() => config);

  let prepared: Promise<void> | undefined;
  const operator = async (argv: readonly string[], answer?: Answer) => {
    prepared ??= prepareDatabase(deps.mongo().db);
    await prepared;
    return runWith(deps, argv, answer);
  };

  return {
    deps,
    stores: deps.stores(),
    operator,
    /** Runs a command with --json and returns its output. @throws Error when it fails */
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

/** Creates an account with one key. */
export async function newAccount({ json }: CommandLine) {
  const { account_id } = await json<{ account_id: string }>('account', 'create', '--name', 'Acme');
  const key = await json<{ key_id: string; api_key: string }>(
    ...['key', 'create', '--account', account_id, '--name', 'Production'],
  );
  return { accountId: account_id, keyId: key.key_id, apiKey: key.api_key };
}
