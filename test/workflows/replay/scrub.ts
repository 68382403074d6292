/** A worker's identity and sticky task queue start with its process id and host. */
const WORKER = /^\d+@/;

/** A history's JSON without hosts, process ids and folders, which replay ignores. */
export function scrub(json: string): string {
  const scrubbed: unknown = JSON.parse(json, (key, value: unknown) => {
    if (key === 'stackTrace') return '';
    return typeof value === 'string' && WORKER.test(value) ? 'recorder' : value;
  });
  return `${JSON.stringify(scrubbed, null, 1)}\n`;
}
