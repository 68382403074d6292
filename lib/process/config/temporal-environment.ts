import { type Static, Type } from 'typebox';
import { Address, Flag, Optional, Text } from './variables.ts';

/** Environment variables of the connection to Temporal. */
export const TEMPORAL_ENVIRONMENT = {
  TEMPORAL_ADDRESS: Address('host:port of the Temporal frontend.', '127.0.0.1:7233', {
    pattern: '^[^/\\s]+:[0-9]{1,5}$',
    expected: 'host:port',
  }),
  TEMPORAL_NAMESPACE: Text('Temporal namespace.', 'default'),
  TEMPORAL_API_KEY: Optional('API key for Temporal; implies TLS.'),
  TEMPORAL_TLS: Flag(
    'Connect to Temporal over TLS; implied by TEMPORAL_API_KEY and the TEMPORAL_TLS_* below.',
    false,
  ),
  TEMPORAL_TLS_CA_FILE: Optional(
    "PEM file of the CA certificates trusted for Temporal; empty uses the system's.",
  ),
  TEMPORAL_TLS_CERT_FILE: Optional(
    'PEM file of the client certificate for Temporal (mTLS); requires TEMPORAL_TLS_KEY_FILE.',
  ),
  TEMPORAL_TLS_KEY_FILE: Optional(
    'PEM file of the private key of the client certificate; requires TEMPORAL_TLS_CERT_FILE.',
  ),
  TEMPORAL_TLS_SERVER_NAME: Optional(
    "Server name expected in Temporal's certificate; empty uses the host of TEMPORAL_ADDRESS.",
  ),
  TASK_QUEUE_PREFIX: Optional('Prefix of the three task queue names.'),
};

const Temporal = Type.Object(TEMPORAL_ENVIRONMENT);

/** @param workflowBundle path of a prebuilt bundle; empty builds one */
export const groupTemporal = (env: Static<typeof Temporal>, workflowBundle: string) =>
  Object.freeze({
    address: env.TEMPORAL_ADDRESS,
    namespace: env.TEMPORAL_NAMESPACE,
    apiKey: env.TEMPORAL_API_KEY,
    tls: Object.freeze({
      enabled: env.TEMPORAL_TLS,
      caFile: env.TEMPORAL_TLS_CA_FILE,
      certFile: env.TEMPORAL_TLS_CERT_FILE,
      keyFile: env.TEMPORAL_TLS_KEY_FILE,
      serverName: env.TEMPORAL_TLS_SERVER_NAME,
    }),
    taskQueuePrefix: env.TASK_QUEUE_PREFIX,
    workflowBundle,
  });
