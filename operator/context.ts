import type { Command } from 'commander';
import type { Deps } from './deps.ts';
import type { Answer } from './output.ts';

/** What every command can use. */
export interface Context {
  deps: Deps;
  /** Prints the result of a command: text for people, or one JSON value. */
  show(answer: Answer): void;
  /**
   * Asks before a change that can't be undone or cuts clients off, unless `yes` is set, JSON is
   * printed or there is no terminal. Call it before anything is changed.
   * @throws Failure when the answer is no
   */
  confirm(question: string, yes: boolean | undefined): Promise<void>;
}

/** Adds a noun with its verbs to the command line. */
export type Noun = (program: Command, context: Context) => void;
