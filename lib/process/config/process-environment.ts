import { type Static, Type } from 'typebox';
import { Milliseconds, Port, Text } from './variables.ts';

/** Environment variables of how a process ends and is observed. */
export const PROCESS_ENVIRONMENT = {
  SHUTDOWN_GRACE_MS: Milliseconds(
    'Milliseconds that an API or a worker may take to finish running work after SIGTERM.',
    25_000,
  ),
  DRAIN_MS: Milliseconds(
    'Milliseconds the API goes on accepting requests after SIGTERM, while /readyz responds with 503.',
    0,
  ),
  PROBE_HOST: Text('Address that HEALTH_PORT and METRICS_PORT are on.', '127.0.0.1'),
  HEALTH_PORT: Port(
    'Port of /healthz and /readyz of a worker or renderer; 0 picks a free port, empty serves neither. The API has both on its own port.',
  ),
  METRICS_PORT: Port('Port of /metrics; 0 picks a free port, empty measures nothing.'),
};

const Process = Type.Object(PROCESS_ENVIRONMENT);

export const groupProbes = (env: Static<typeof Process>) =>
  Object.freeze({ host: env.PROBE_HOST, healthPort: env.HEALTH_PORT, metricsPort: env.METRICS_PORT });
