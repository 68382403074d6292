import { readFileSync } from 'node:fs';
import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import type { Config } from './config.ts';

/** grpc.status */
const NOT_FOUND = 5;

/** A client that comes with its connection; both are closed together. */
export interface TemporalClient extends AsyncDisposable {
  client: Client;
}

/**
 * How Temporal is reached: the options of the client's `Connection` and of the worker's `NativeConnection` alike.
 * Reads the PEM files. Any setting of TLS turns it on, so that a key or a certificate is never sent in the clear.
 */
export function connectionOptions({ address, apiKey, tls }: Config['temporal']) {
  const { enabled, caFile, certFile, keyFile, serverName } = tls;
  const asked = enabled || [apiKey, caFile, certFile, serverName].some((setting) => setting !== '');
  if (!asked) return { address };
  return {
    address,
    ...(apiKey === '' ? {} : { apiKey }),
    tls: {
      ...(serverName === '' ? {} : { serverNameOverride: serverName }),
      ...(caFile === '' ? {} : { serverRootCACertificate: readFileSync(caFile) }),
      ...(certFile === ''
        ? {}
        : { clientCertPair: { crt: readFileSync(certFile), key: readFileSync(keyFile) } }),
    },
  };
}

/** Connects lazily, so that the API starts and answers while Temporal is away. */
export function openTemporal(config: Config['temporal']): TemporalClient {
  const connection = Connection.lazy(connectionOptions(config));
  return {
    client: new Client({ connection, namespace: config.namespace }),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/**
 * Has a workflow deleted, and with its history what it was given; Temporal sees to it within a minute or so. Ends one
 * that still runs. Safe to repeat.
 */
export async function deleteWorkflow(
  { options, workflowService }: Client,
  workflowId: string,
): Promise<void> {
  const { namespace } = options;
  try {
    await workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
  }
}
