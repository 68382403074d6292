import { parseArgs } from 'node:util';

/** The command line is not understood; the message says what is. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `npm start [-- --help]
npm run dev

Starts Temporal, MongoDB and an S3 server, which are obtained on the first start, and then the worker, the renderer and
the API. Prints the address of the API, a demo key and a first command. Ctrl-C stops all of it; the data in .stack/ is
kept. \`npm run dev\` also restarts a process when one of its sources changes.

Settings are environment variables, for instance API_PORT=9000 npm start; .env.example lists them all. A server whose
address is set (TEMPORAL_ADDRESS, MONGODB_URL, S3_ENDPOINT) is used and not started.

Exit codes: 0 after Ctrl-C, 2 when an argument or a setting is not usable, 1 when the start fails otherwise.
`;

/** @throws {UsageError} for any argument but `--watch` and `--help` */
export function parseArguments(args: readonly string[]): { watch: boolean; help: boolean } {
  try {
    const options = {
      watch: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    } as const;
    const { watch, help } = parseArgs({ args: [...args], options }).values;
    return { watch, help };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.split('. ')[0] : String(cause);
    throw new UsageError(`${message}. Settings are environment variables; see npm start -- --help.`, {
      cause,
    });
  }
}
