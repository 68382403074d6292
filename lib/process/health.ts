import { json, openProbeServer, type Page, type ProbeAddress, type ProbeServer } from './probe-server.ts';
import { ALIVE, type Readiness, statusOf } from './readiness.ts';

/** /healthz and /readyz of a process that serves nothing else. */
export function openHealth(address: ProbeAddress, readiness: Readiness): Promise<ProbeServer> {
  const pages: Record<string, Page> = {
    '/healthz': async () => json(200, ALIVE),
    '/readyz': async () => {
      const report = await readiness.report();
      return json(statusOf(report), report);
    },
  };
  return openProbeServer(address, pages);
}
