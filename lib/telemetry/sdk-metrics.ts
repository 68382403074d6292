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
 * Sets up the SDK's runtime. With METRICS_PORT it serves its own metrics as well: on a port of loopback, from where the
 * process takes them into its page. Its server cannot say which port it got, so a free one is looked up before.
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
