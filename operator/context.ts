import type { Command } from 'commander';
import type { Deps } from './deps.ts';
import type { Answer } from './output.ts';

/** What the verbs of every noun are given. */
export interface Context {
  deps: Deps;
  /** Prints the answer of a command: text for people, or one JSON value. */
  show(answer: Answer): void;
  /**
   * Asks before something that can't be undone, unless told yes, printing JSON or away from a terminal.
   * @throws Failure when the answer is no; nothing may have been changed by then
   */
  confirm(question: string, yes: boolean | undefined): Promise<void>;
}

/** Adds a noun with its verbs to the command line. */
export type Noun = (program: Command, context: Context) => void;
