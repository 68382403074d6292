/** What the global setup hands to every test file: the environment that reaches the running servers. */
declare module 'vitest' {
  interface ProvidedContext {
    env: Record<string, string>;
  }
}

export {};
