/** Provided by the global setup to every test file: the environment of the running servers. */
declare module 'vitest' {
  interface ProvidedContext {
    env: Record<string, string>;
  }
}

export {};
