import type { CreatedJob, CreateOptions, ImageJobs, ToolSlug } from 'image-job/node';

/** An edit, and the key by which a repeated call of the session gets the same job. */
export interface KeyedEdit {
  /** The Idempotency-Key of the request. */
  id: string;
  request: CreateOptions<ToolSlug> & { key: string };
}

/** The edits of one conversation. A repeated call is neither charged nor asked about again. */
export interface Session {
  /** @param variant another number is another job for the same edit */
  keyed(edit: CreateOptions<ToolSlug>, variant: number): Promise<KeyedEdit>;
  /** Edits whose price is accepted. */
  accepted: Set<string>;
  /** URLs that the user has agreed to fetch. */
  urls: Set<string>;
  jobs: Map<string, CreatedJob>;
  /** The files of results, by edit and output. */
  saved: Map<string, string>;
  /** The next call for this edit is a new job, because this one was refunded. */
  retire(id: string): void;
}

export function createSession({ jobs }: ImageJobs): Session {
  const session = crypto.randomUUID();
  const retired = new Set<string>();
  return {
    accepted: new Set(),
    urls: new Set(),
    jobs: new Map(),
    saved: new Map(),
    retire: (id) => void retired.add(id),
    async keyed(edit, variant) {
      for (let attempt = 1; ; attempt += 1) {
        const request = { ...edit, key: `mcp-${session}/${variant}/${attempt}` };
        const id = await jobs.idempotencyKey(request);
        if (!retired.has(id)) return { request, id };
      }
    },
  };
}
