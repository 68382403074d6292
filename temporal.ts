import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import type { Config } from './config.ts';

/** grpc.status */
const NOT_FOUND = 5;

/** A client that comes with its connection; both are closed together. */
export interface TemporalClient extends AsyncDisposable {
  client: Client;
}

/** Connects lazily, so that the API starts and answers while Temporal is away. */
export function openTemporal({ address, namespace }: Config['temporal']): TemporalClient {
  const connection = Connection.lazy({ address });
  return {
    client: new Client({ connection, namespace }),
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
