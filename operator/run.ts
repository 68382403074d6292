import { Command, CommanderError } from 'commander';
import { exitCodeOf } from '../lib/process/run-main.ts';
import { checkSchema, checkSetup } from '../lib/stores/mongo/schema.ts';
import { NOUNS } from './commands/nouns.ts';
import type { Context } from './context.ts';
import { ask, isInteractive, type Terminal } from './context.ts';
import type { Deps } from './deps.ts';
import { CommandFailed, sentenceOf } from './errors.ts';
import { escapeControls, safeJson, toJson, toText } from './output.ts';

export interface Streams extends Terminal {
  stdout: NodeJS.WritableStream;
}

/**
 * Runs one command line, given without the program's name.
 * @returns the exit code: 0, or {@link exitCodeOf} the error after a message on stderr (with
 * `--json` as `{"error": {"message"}}`)
 */
export async function runOperator(argv: readonly string[], deps: Deps, streams: Streams): Promise<number> {
  const json = argv.includes('--json');
  const program = createProgram(streams, json);
  const context = createContext(deps, streams, json);
  for (const noun of NOUNS) noun(program, context);
  program.hook('preAction', async (_, command) => {
    const check = command.name() === 'setup' ? checkSetup : checkSchema;
    await check(deps.mongo().db);
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const message = isIncomplete(error) ? 'The command is incomplete; see --help.' : sentenceOf(error);
    if (json) streams.stderr.write(`${safeJson({ error: { message } })}\n`);
    else if (!isIncomplete(error))
      streams.stderr.write(`${message.split('\n').map(escapeControls).join('\n')}\n`);
    return exitCodeOf(error);
  }
}

function createProgram({ stdout, stderr }: Streams, json: boolean): Command {
  return new Command('operator')
    .description('Operates Image Job API: accounts, keys, packs, ledger, jobs, webhooks.')
    .option('--json', 'print one JSON value and ask nothing')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void (json || stderr.write(text)),
      outputError: () => {},
    })
    .exitOverride();
}

function createContext(deps: Deps, streams: Streams, json: boolean): Context {
  return {
    deps,
    show: (answer) => void streams.stdout.write(json ? toJson(answer) : toText(answer)),
    async confirm(question, yes) {
      if (yes || json || !isInteractive(streams) || (await ask(streams, escapeControls(question)))) return;
      throw new CommandFailed('Nothing was changed.');
    },
  };
}

/**
 * Whether the verb is missing; without --json, commander has already printed the help to stderr.
 */
const isIncomplete = (error: unknown) => error instanceof CommanderError && error.code === 'commander.help';
