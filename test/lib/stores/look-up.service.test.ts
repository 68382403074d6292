import type { CommandStartedEvent } from 'mongodb';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLookUp } from '../../../lib/stores/mongo/queries.ts';
import { ownConfig } from '../../setup/own-config.ts';

interface Thing {
  _id: string;
  name: string;
}

const { mongo } = ownConfig();
const client = new MongoClient(mongo.url, { monitorCommands: true });
const things = client.db(mongo.database).collection<Thing>('things');
const lookUp = createLookUp(things, 'name');
const queries: CommandStartedEvent[] = [];
client.on('commandStarted', (event) => {
  if (event.commandName === 'find') queries.push(event);
});

beforeAll(async () => {
  await things.insertMany(Array.from({ length: 250 }, (_, n) => ({ _id: `id ${n}`, name: `name ${n}` })));
});
afterAll(async () => {
  await client.db(mongo.database).dropDatabase();
  await client.close();
});

/** Documents found by look-ups in one turn of the event loop, and the number of queries. */
async function inOneTurn(names: readonly string[]) {
  queries.length = 0;
  const found = await Promise.all(names.map(lookUp));
  return { found: found.map((thing) => thing?._id), queries: queries.length };
}

test('look-ups in one turn share a query, and each returns its own document or null', async () => {
  expect(await inOneTurn(['name 3', 'unknown', 'name 1', 'name 3'])).toEqual({
    found: ['id 3', undefined, 'id 1', 'id 3'],
    queries: 1,
  });
});

test('a query has at most 100 values', async () => {
  const names = Array.from({ length: 250 }, (_, n) => `name ${n}`);
  const { found, queries } = await inOneTurn(names);
  expect(found).toEqual(names.map((name) => name.replace('name', 'id')));
  expect(queries).toBe(3);
});

test('a look-up after a write sees it, even if an earlier query is in flight', async () => {
  const earlier = lookUp('late');
  await new Promise(setImmediate);
  await things.insertOne({ _id: 'late', name: 'late' });
  expect(await lookUp('late')).toMatchObject({ _id: 'late' });
  await earlier;
});

test('a failed query rejects all its look-ups, and the next look-up works', async () => {
  const broken = createLookUp(things, '$where' as 'name');
  const outcomes = await Promise.allSettled([broken('a'), broken('b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await lookUp('name 7')).toMatchObject({ _id: 'id 7' });
});
