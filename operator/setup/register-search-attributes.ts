import { Connection } from '@temporalio/client';
import type { Config } from '../../lib/process/config/config.ts';
import { connectionOptions } from '../../lib/process/temporal-client.ts';
import { SEARCH_ATTRIBUTES } from '../../lib/protocol/search-attributes.ts';
import { poll } from '../poll.ts';

/** temporal.api.enums.v1.IndexedValueType */
const INDEXED_VALUE_TYPE = { KEYWORD: 2 } as const;
/** gRPC status. */
const GRPC = { INVALID_ARGUMENT: 3, ALREADY_EXISTS: 6, PERMISSION_DENIED: 7, UNIMPLEMENTED: 12 } as const;
const CONNECT_TIMEOUT_MS = 5000;
const VISIBLE_WITHIN_MS = 30_000;

/**
 * Registers the search attributes and waits until workflows can be started with them. Temporal
 * Cloud does not let a client register them: there they have to exist.
 * @throws Error when a name is already registered with another type, which only Temporal's own
 * tools can change, or when the attributes are missing and cannot be registered
 */
export async function registerSearchAttributes(temporal: Config['temporal']): Promise<void> {
  const { namespace } = temporal;
  const options = { ...connectionOptions(temporal), connectTimeout: CONNECT_TIMEOUT_MS };
  const connection = await Connection.connect(options);
  try {
    await register(connection, namespace).catch((error) => {
      if (error.code !== GRPC.PERMISSION_DENIED && error.code !== GRPC.UNIMPLEMENTED) throw error;
      return assertUsable(connection, namespace);
    });
  } finally {
    await connection.close();
  }
}

async function register(connection: Connection, namespace: string): Promise<void> {
  for (const { name, type } of SEARCH_ATTRIBUTES)
    await connection.operatorService
      .addSearchAttributes({ namespace, searchAttributes: { [name]: INDEXED_VALUE_TYPE[type] } })
      .catch((error) => {
        if (error.code !== GRPC.ALREADY_EXISTS) throw error;
      });
  await untilVisible(connection, namespace);
}

/** A query with an attribute that the namespace does not have is an invalid argument. */
async function assertUsable(connection: Connection, namespace: string): Promise<void> {
  const query = SEARCH_ATTRIBUTES.map(({ name }) => `${name} = 'x'`).join(' AND ');
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === GRPC.INVALID_ARGUMENT)) throw cause;
    const needed = SEARCH_ATTRIBUTES.map(({ name, type }) => `${name} (${type.toLowerCase()})`).join(', ');
    throw new Error(
      `Temporal does not let setup register search attributes. Add ${needed} to the namespace and run setup again.`,
      { cause },
    );
  }
}

async function untilVisible(connection: Connection, namespace: string): Promise<void> {
  const listed = await poll(VISIBLE_WITHIN_MS, async () => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const visible = SEARCH_ATTRIBUTES.filter(({ name }) => customAttributes?.[name] !== undefined);
    for (const { name, type } of visible)
      if (customAttributes?.[name] !== INDEXED_VALUE_TYPE[type])
        throw new Error(
          `The search attribute ${name} exists, but is not of type ${type}. Remove it and run setup again.`,
        );
    return visible.length === SEARCH_ATTRIBUTES.length ? visible : undefined;
  });
  if (listed === undefined)
    throw new Error(
      `Temporal did not list the new search attributes within ${VISIBLE_WITHIN_MS / 1000} s. Run setup again.`,
    );
}
