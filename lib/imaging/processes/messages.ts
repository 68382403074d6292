/** The tasks of a child process by name; inputs and outputs are structured-cloneable. */
export type Tasks = Readonly<Record<string, (input: never) => Promise<unknown>>>;

/** From the pool to a child. A child works on one task at a time. */
export interface TaskMessage {
  task: string;
  input: unknown;
}

/** From a child to the pool. The message of `imageError` is shown to the client. */
export type ChildMessage =
  | { kind: 'ready' }
  | { kind: 'done'; output: unknown }
  | { kind: 'imageError'; message: string; cause: string }
  | { kind: 'failed'; message: string };
