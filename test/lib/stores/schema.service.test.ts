import { expect, test } from 'vitest';
import { checkSchema, checkSetup, recordSchema, SchemaError } from '../../../lib/stores/mongo/schema.ts';
import { prepareDatabase } from '../../../lib/stores/mongo/setup.ts';
import { databaseOfFile } from '../../setup/database.ts';

const { db } = databaseOfFile();

const storedSchema = async () => (await db.collection('settings').findOne())?.value;

test('a database without indexes is refused until it is set up', async () => {
  await db.dropDatabase();
  await expect(checkSchema(db)).rejects.toThrow(
    new SchemaError('The database is not set up for this version: run `operator setup`.'),
  );
  await prepareDatabase(db);
  await expect(checkSchema(db)).resolves.toBeUndefined();
});

test('a newer setup admits the processes it can work with, and refuses older ones', async () => {
  await recordSchema(db, { version: 7, oldest: 6 });
  await expect(checkSchema(db, { version: 7, oldest: 6 })).resolves.toBeUndefined();
  await expect(checkSchema(db, { version: 6, oldest: 5 })).resolves.toBeUndefined();
  const old = { version: 5, oldest: 4 };
  const tooOld =
    'The database needs schema version 6 or later; this process has version 5: run a newer release.';
  await expect(checkSchema(db, old)).rejects.toThrow(new SchemaError(tooOld));
  await expect(checkSetup(db, old)).rejects.toThrow(new SchemaError(tooOld));
  await expect(checkSchema(db, { version: 8, oldest: 7 })).rejects.toThrow('run `operator setup`');
  await expect(checkSetup(db, { version: 8, oldest: 7 })).resolves.toBeUndefined();
});

test('an older setup, run again while it is still admitted, lowers nothing', async () => {
  await recordSchema(db, { version: 9, oldest: 8 });
  await recordSchema(db, { version: 8, oldest: 7 });
  expect(await storedSchema()).toEqual({ version: 9, oldest: 8 });
});
