import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type { Config } from '../../config.ts';
import { SEARCH_ATTRIBUTES } from '../../protocol/search-attributes.ts';
import { connectionOptions } from '../../runtime/temporal-client.ts';

/** temporal.api.enums.v1.IndexedValueType */
const INDEXED_VALUE_TYPE = { KEYWORD: 2 } as const;
/** gRPC status. */
const ALREADY_EXISTS = 6;
const CONNECT_TIMEOUT_MS = 5000;
const VISIBLE_WITHIN_MS = 30_000;
const POLL_MS = 200;

/**
 * Registers the search attributes and waits until workflows can be started with them.
 * @throws Error when a name is already registered with another type, which only Temporal's own tools can change
 */
export async function registerSearchAttributes(temporal: Config['temporal']): Promise<void> {
  const { namespace } = temporal;
  const options = { ...connectionOptions(temporal), connectTimeout: CONNECT_TIMEOUT_MS };
  const connection = await Connection.connect(options);
  try {
    for (const { name, type } of SEARCH_ATTRIBUTES)
      await connection.operatorService
        .addSearchAttributes({ namespace, searchAttributes: { [name]: INDEXED_VALUE_TYPE[type] } })
        .catch((error) => {
          if (error.code !== ALREADY_EXISTS) throw error;
        });
    await untilVisible(connection, namespace);
  } finally {
    await connection.close();
  }
}

async function untilVisible(connection: Connection, namespace: string): Promise<void> {
  const deadline = Date.now() + VISIBLE_WITHIN_MS;
  while (Date.now() < deadline) {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const visible = SEARCH_ATTRIBUTES.filter(({ name }) => customAttributes?.[name] !== undefined);
    for (const { name, type } of visible)
      if (customAttributes?.[name] !== INDEXED_VALUE_TYPE[type])
        throw new Error(
          `The search attribute ${name} exists, but is not of type ${type}. Remove it and run setup again.`,
        );
    if (visible.length === SEARCH_ATTRIBUTES.length) return;
    await delay(POLL_MS);
  }
  throw new Error(
    `Temporal did not list the new search attributes within ${VISIBLE_WITHIN_MS / 1000} s. Run setup again.`,
  );
}
