import { readFileSync } from 'node:fs';
import {
  Client,
  Connection,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  type WorkflowClientInterceptor,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Config } from './config/config.ts';

/** grpc.status */
const NOT_FOUND = 5;

const SIGNAL_TIMEOUT_MS = 2000;

/** A client that owns its connection. */
export interface TemporalClient extends AsyncDisposable {
  client: Client;
}

/**
 * Options for both the client's `Connection` and the worker's `NativeConnection`. Reads the PEM
 * files. An API key or any TLS setting enables TLS, so that credentials are never sent in plain
 * text.
 */
export function connectionOptions({ address, apiKey, tls }: Config['temporal']) {
  const { enabled, caFile, certFile, keyFile, serverName } = tls;
  const useTls = enabled || [apiKey, caFile, certFile, serverName].some((setting) => setting !== '');
  if (!useTls) return { address };
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

/** Connects lazily, so that the API starts and responds while Temporal is unavailable. */
export function openTemporal(
  config: Config['temporal'],
  workflow: WorkflowClientInterceptor[] = [],
): TemporalClient {
  const connection = Connection.lazy(connectionOptions(config));
  return {
    client: new Client({ connection, namespace: config.namespace, interceptors: { workflow } }),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

const CHECK_MS = 2000;

/** Rejects unless Temporal responds for the client's namespace within 2 s. */
export async function checkTemporal(client: Client): Promise<void> {
  const { namespace } = client.options;
  const describe = () => client.workflowService.describeNamespace({ namespace });
  await client.withDeadline(Date.now() + CHECK_MS, describe);
}

/**
 * Requests the deletion of all runs of a workflow id with their histories, which contain the
 * inputs. Temporal processes it within about a minute and terminates an open run. An idempotency
 * key whose first requests were refused has several runs. Idempotent.
 * @throws Error if the visibility store does not list the latest run yet, because other runs may be
 * missing as well
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

/**
 * Signals a running workflow, or deletes it if it has ended. Best effort with a short timeout,
 * never throws.
 * @returns whether it was deleted
 */
export function signalOrDelete(client: Client, workflowId: string, signal: string): Promise<boolean> {
  const call = async () => {
    try {
      await client.workflow.getHandle(workflowId).signal(signal);
      return false;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await deleteWorkflow(client, workflowId);
      return true;
    }
  };
  return client.withDeadline(Date.now() + SIGNAL_TIMEOUT_MS, call).catch(() => false);
}

/**
 * Starts a workflow. Rejects unless Temporal confirms within the deadline; the workflow may be
 * running even then.
 * @throws WorkflowExecutionAlreadyStartedError, depending on the options
 * @returns the id of the workflow
 */
export async function startWorkflow(
  client: Client,
  { type, options }: { type: string; options: WorkflowStartOptions },
  withinMs: number,
): Promise<string> {
  await client.withDeadline(Date.now() + withinMs, () => client.workflow.start(type, options));
  return options.workflowId;
}

/** Signals a workflow that may have ended. Best effort with a short timeout, never throws. */
export async function signalSoon(
  client: Client,
  workflowId: string,
  signal: string,
  argument: string,
): Promise<void> {
  const call = () => client.workflow.getHandle(workflowId).signal(signal, argument);
  await client.withDeadline(Date.now() + SIGNAL_TIMEOUT_MS, call).catch(() => {});
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

/** Deadline of each call to Temporal. */
const CALL_MS = 10_000;

/** Creates the schedules, or updates those that exist. A paused schedule stays paused. */
export async function ensureSchedules(client: Client, all: readonly ScheduleOptions[]): Promise<void> {
  // One after another. If they ran at once and one failed, the retries of the others would find a
  // closed connection.
  for (const options of all) await ensureSchedule(client, options);
}

async function ensureSchedule(client: Client, options: ScheduleOptions): Promise<void> {
  const { scheduleId, ...wanted } = options;
  const { schedule } = client;
  const bounded = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + CALL_MS, call);
  try {
    await bounded(() => schedule.create(options));
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await bounded(() => schedule.getHandle(scheduleId).update(({ state }) => ({ ...wanted, state })));
  }
}
