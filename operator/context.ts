import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Deps } from './deps.ts';
import type { Answer } from './output.ts';

/** Every command gets this. */
export interface Context {
  deps: Deps;
  /** Prints the result of a command: text for people, or one JSON value. */
  show(answer: Answer): void;
  /**
   * Asks before a change that can't be undone or that cuts off clients. Does not ask if `yes` is
   * set, JSON is printed or there is no terminal. Call it before anything is changed.
   * @throws CommandFailed when the answer is no
   */
  confirm(question: string, yes: boolean | undefined): Promise<void>;
}

/** Adds a noun with its verbs to the command line. */
export type Noun = (program: Command, context: Context) => void;

export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/**
 * Whether a person can be asked. The question is written to stderr, so stdout may be redirected.
 */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks once; anything but yes, including the end of the input and Ctrl-C, means no. */
export async function ask({ stdin, stderr }: Terminal, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: isInteractive({ stdin, stderr }) });
  try {
    const unanswered = () => undefined;
    const ended = once(lines, 'close').then(unanswered);
    const answer = await Promise.race([lines.question(`${question} [y/N] `).catch(unanswered), ended]);
    if (answer === undefined) stderr.write('\n');
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    lines.close();
  }
}
