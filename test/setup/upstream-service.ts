import type { closers } from './closers.ts';
import { startService } from './service.ts';
import { startUpstreams } from './upstreams.ts';

/**
 * Fakes of all upstreams, and a service that calls them with the real adapters.
 * @param env which ones render what
 */
export async function openWithUpstreams(open: ReturnType<typeof closers>, env: Record<string, string>) {
  const upstreams = open.use(await startUpstreams());
  const service = open.use(await startService({ env: { ...upstreams.env, ...env } }));
  return { upstreams, service };
}
