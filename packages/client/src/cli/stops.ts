import { ImageJobError } from '../node.ts';
import { WriteError } from './result-files.ts';

/** Errors that every request would get: nothing can be fetched either. */
const LOCKED_OUT = new Set(['invalid_api_key', 'key_revoked', 'api_disabled']);

/** Errors that every new job would get, because of the balance, the key, the tool or an option. */
const NO_NEW_JOBS = new Set([
  'insufficient_scope',
  'insufficient_credits',
  'invalid_tool',
  'invalid_request',
]);

/** Aborts when the remaining photos of a command cannot succeed. */
export interface Stops {
  /** Nothing more is done. */
  all: AbortSignal;
  /** No job is created, but results that were paid for are fetched. */
  newJobs: AbortSignal;
  /** Checks whether the other photos would fail with the same error. */
  after(error: unknown): void;
}

export function createStops(): Stops {
  const all = new AbortController();
  const newJobs = new AbortController();
  return {
    all: all.signal,
    newJobs: newJobs.signal,
    after(error) {
      const code = error instanceof ImageJobError ? error.code : '';
      if (LOCKED_OUT.has(code) || error instanceof WriteError) all.abort();
      if (NO_NEW_JOBS.has(code) || all.signal.aborted) newJobs.abort();
    },
  };
}
