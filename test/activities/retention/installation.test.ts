import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { markOf } from '../../../lib/domain/installation.ts';
import { identifyBuckets } from '../../../operator/setup/identify-buckets.ts';
import { createFakeImageStore } from '../../fakes/images.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { draftOf, newClient } from '../../setup/records.ts';

type Fakes = ReturnType<typeof open>;

/** Fakes of MongoDB and the buckets, all of them new. */
function open() {
  const stores = createFakeStores();
  const images = createFakeImageStore();
  const names = { inputs: 'acme-inputs', results: 'acme-results' };
  const identify = (adopt?: string) => identifyBuckets({ stores, images, names, adopt });
  const marks = async () => [await images.mark('inputs'), await images.mark('results')];
  return { stores, images, identify, marks, id: () => stores.settings.installation() };
}

/** A completed job with both images. */
async function addJob({ stores, images }: Fakes): Promise<void> {
  const draft = draftOf(await newClient(stores));
  const key = `${draft.accountId}/result.png`;
  await images.putInput(draft.input.key, Buffer.from('x'), 'image/png');
  await images.putResult(key, Buffer.from('x'), 'image/png');
  await stores.jobs.accept(draft);
  await stores.jobs.complete(draft.jobId, { results: [{ bucket: 'results', key }], processingMs: 1 });
}

const marksOf = (id: string) => [markOf(id, 'inputs'), markOf(id, 'results')];

describe('setup', () => {
  test('gives a new installation an id, which stays; also concurrently and after an interruption', async () => {
    const at = open();
    await Promise.all([at.identify(), at.identify()]);
    const id = (await at.id()) ?? '';
    expect(await at.marks()).toEqual(marksOf(id));
    await at.identify();
    at.images.objects.delete('results/.installation');
    await at.identify();
    expect([await at.id(), await at.marks()]).toEqual([id, marksOf(id)]);
  });

  test('adopts MongoDB and buckets of a version without ids', async () => {
    const at = open();
    await addJob(at);
    await at.identify();
    expect(await at.marks()).toEqual(marksOf((await at.id()) ?? ''));
  });

  test('the marks are neither listed nor do they contain more than the id and the bucket', async () => {
    const at = open();
    await at.identify();
    expect((await at.images.list('results')).found).toEqual([]);
    expect(await at.images.mark('results')).toMatch(/^[0-9a-f-]{36} results$/);
  });
});

describe('setup refuses, and changes no bucket,', () => {
  const other = randomUUID();

  test.each<[string, (at: Fakes) => unknown, RegExp]>([
    [
      'an empty MongoDB',
      (at) => Object.assign(at.stores.books, { installation: undefined }),
      /MongoDB belongs to none/,
    ],
    [
      'a foreign MongoDB',
      (at) => at.stores.settings.setInstallation(other),
      /MongoDB belongs to installation/,
    ],
    [
      'a foreign bucket',
      (at) => at.images.setMark('inputs', markOf(other, 'inputs')),
      /acme-inputs to installation/,
    ],
  ])('%s', async (_, change, message) => {
    const at = open();
    await addJob(at);
    await at.identify();
    await change(at);
    const before = [await at.id(), await at.marks()];
    await expect(at.identify()).rejects.toThrow(message);
    await expect(at.identify()).rejects.toThrow('operator setup --adopt');
    expect([await at.id(), await at.marks()]).toEqual(before);
  });

  test('exchanged buckets, even if it shall adopt them: inputs would become public', async () => {
    const at = open();
    await at.identify();
    const id = (await at.id()) ?? '';
    await at.images.setMark('inputs', markOf(id, 'results'));
    for (const adopt of [undefined, id])
      await expect(at.identify(adopt)).rejects.toThrow('The bucket acme-inputs is not one of inputs');
    const { stores, images } = at;
    const names = { inputs: 'one', results: 'one' };
    await expect(identifyBuckets({ stores, images, names })).rejects.toThrow('name the same bucket');
  });

  test('a full bucket without a mark of which MongoDB knows nothing', async () => {
    const at = open();
    await at.images.putResult('a/b.png', Buffer.from('x'), 'image/png');
    await expect(at.identify()).rejects.toThrow('acme-results has objects, but none');
    expect(await at.marks()).toEqual([undefined, undefined]);
  });

  test('an empty bucket without a mark in which jobs have images', async () => {
    const at = open();
    await addJob(at);
    await at.identify();
    at.images.objects.clear();
    await expect(at.identify()).rejects.toThrow('acme-inputs is empty, but jobs in MongoDB');
    expect(await at.marks()).toEqual([undefined, undefined]);
  });
});

describe('setup --adopt', () => {
  test('makes MongoDB and both buckets one installation', async () => {
    const [mongo, buckets] = [randomUUID(), randomUUID()];
    for (const id of [mongo, buckets]) {
      const at = open();
      await at.stores.settings.setInstallation(mongo);
      await at.images.setMark('inputs', markOf(buckets, 'inputs'));
      await at.identify(id);
      expect([await at.id(), await at.marks()]).toEqual([id, marksOf(id)]);
      await at.identify();
    }
  });

  test('takes no id that neither MongoDB nor a bucket has', async () => {
    const at = open();
    await at.identify();
    await expect(at.identify(randomUUID())).rejects.toThrow('Neither MongoDB nor a bucket');
  });
});
