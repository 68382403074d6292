import { Client, Connection } from '@temporalio/client';
import type { Config } from './config.ts';

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
