import { readFileSync } from 'node:fs';
import { Client, Connection, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
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
 * Has all runs of a workflow id deleted, and with their histories what they were given; Temporal sees to it within a
 * minute or so. A key whose first requests were refused has several. Ends one that still runs. Safe to repeat.
 * @throws Error while Temporal's list does not show the latest run yet, for then it may lack others: nothing is certain
 */
export async function deleteWorkflow(client: Client, workflowId: string): Promise<void> {
  const latest = await latestRun(client, workflowId);
  const runs = new Set<string>();
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = ${JSON.stringify(workflowId)}` }))
    runs.add(runId);
  for (const runId of runs) await deleteRun(client, { workflowId, runId });
  if (latest === undefined || runs.has(latest)) return;
  await deleteRun(client, { workflowId, runId: latest });
  throw new Error(`Temporal does not list the latest run of ${workflowId} yet.`);
}

async function latestRun(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).runId;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

async function deleteRun(
  { options, workflowService }: Client,
  workflowExecution: { workflowId: string; runId: string },
): Promise<void> {
  try {
    await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution });
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
  }
}
