/** Tasks a child process carries out, by name; what goes in and out is structured-cloneable. */
export type Tasks = Readonly<Record<string, (input: never) => Promise<unknown>>>;

/** From the pool to a child. A child works on one task at a time. */
export interface TaskMessage {
  task: string;
  input: unknown;
}

/** From a child to the pool. `imageError` is a sentence for the client whose image it was. */
export type ChildMessage =
  | { kind: 'ready' }
  | { kind: 'done'; output: unknown }
  | { kind: 'imageError'; message: string; cause: string }
  | { kind: 'failed'; message: string };
