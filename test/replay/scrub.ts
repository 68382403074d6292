/** How a worker names itself and the queue of what it has in memory: process id and host. */
const WORKER = /^\d+@/;

/** A history's JSON without names of hosts, processes and folders, which a replay does not look at. */
export function scrub(json: string): string {
  const scrubbed: unknown = JSON.parse(json, (key, value: unknown) => {
    if (key === 'stackTrace') return '';
    return typeof value === 'string' && WORKER.test(value) ? 'recorder' : value;
  });
  return `${JSON.stringify(scrubbed, null, 1)}\n`;
}
