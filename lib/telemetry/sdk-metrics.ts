import { type AddressInfo, createServer } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '../process/config/config.ts';
import { installRuntime } from './temporal-logger.ts';

const LOOPBACK = '127.0.0.1';
/** Names as Prometheus wants them. */
const NAMES = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true } as const;

/** See {@link installRuntime}. */
export interface MeteredRuntime extends AsyncDisposable {
  /** URL of the SDK's own metrics. */
  sdkMetrics: string | undefined;
}

/**
 * Sets up the SDK's runtime. With METRICS_PORT, the runtime serves its own metrics on a port of
 * loopback, and the process adds them to its page. The runtime cannot say which port it got, so a
 * free port is looked up before.
 */
export async function installMeteredRuntime(
  { metricsPort }: Config['probes'],
  logger: Logger,
): Promise<MeteredRuntime> {
  if (metricsPort === undefined) return { ...installRuntime(logger), sdkMetrics: undefined };
  const bindAddress = `${LOOPBACK}:${await freePort()}`;
  const runtime = installRuntime(logger, { metrics: { prometheus: { bindAddress, ...NAMES } } });
  return { ...runtime, sdkMetrics: `http://${bindAddress}/metrics` };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port: 0 }, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
