declare module 'vitest' {
  interface ProvidedContext {
    /** The environment of the running servers, from the global setup. */
    env: Record<string, string>;
    /** Whether property tests take the time for rare cases, as `npm run verify` does. */
    thorough: boolean;
  }
}

export {};
