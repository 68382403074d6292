import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ImageMissing, type ImageStore, ImageStoreUnavailable } from '../../../lib/stores/image-store.ts';
import { createImageStore } from '../../../lib/stores/s3/images.ts';
import { setupBuckets } from '../../../lib/stores/s3/setup.ts';
import { createFakeImageStore } from '../../fakes/images.ts';
import { ownConfig } from '../../setup/own-config.ts';

const { s3 } = ownConfig();
const real = createImageStore(s3);

beforeAll(() => setupBuckets(s3));
afterAll(() => real[Symbol.asyncDispose]());

const stores: [string, ImageStore][] = [
  ['the fake', createFakeImageStore(s3.uploadUrl)],
  ['the S3 adapter', real],
];

describe.each(stores)('image store: %s', (_name, store) => {
  const account = randomUUID();
  const key = (name: string) => `${account}/${name}`;

  test('an input is read back unchanged', async () => {
    const bytes = randomBytes(100_000);
    await store.putInput(key('a.png'), bytes, 'image/png');
    expect((await store.getInput(key('a.png'))).equals(bytes)).toBe(true);
  });

  test('an upload may include a known digest', async () => {
    const bytes = randomBytes(5000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await store.putInput(key('digest.jpg'), bytes, 'image/jpeg', sha256);
    expect((await store.getInput(key('digest.jpg'))).equals(bytes)).toBe(true);
  });

  test('the error for a missing input contains its key', async () => {
    await expect(store.getInput(key('none.png'))).rejects.toThrow(ImageMissing);
    await expect(store.getInput(key('none.png'))).rejects.toThrow('none.png');
  });

  test('remove handles both buckets, more than one batch, and absent objects', async () => {
    await store.putInput(key('gone.png'), randomBytes(10), 'image/png');
    await store.putResult(key('gone-staged.png'), randomBytes(10), 'image/png');
    const absent = Array.from({ length: 1001 }, (_, n) => ({
      bucket: 'inputs' as const,
      key: key(`no-${n}`),
    }));
    const refs = [
      ...absent,
      { bucket: 'inputs' as const, key: key('gone.png') },
      { bucket: 'results' as const, key: key('gone-staged.png') },
    ];
    expect(await store.remove(refs)).toEqual([]);
    await expect(store.getInput(key('gone.png'))).rejects.toThrow(ImageMissing);
    expect(await store.remove(refs)).toEqual([]);
    expect(await store.remove([])).toEqual([]);
  });

  test('inputs are listed page by page, ordered by key, each once', async () => {
    const names = ['-x/0.png', '/1.png', '/2.png', '/3.webp', 'x/4.png'].map(
      (name) => `list-${account}${name}`,
    );
    for (const name of names) await store.putInput(name, randomBytes(10), 'image/png');
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.list('inputs', after, 2);
      expect(page.found.length).toBeLessThanOrEqual(2);
      seen.push(...page.found.map((found) => found.key));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual([...seen].sort());
    expect(seen.filter((name) => name.includes(`list-${account}`))).toEqual(names);
  });

  test('a listed object has the time at which it was written', async () => {
    const before = Date.now();
    const name = key('young.png');
    await store.putInput(name, randomBytes(10), 'image/png');
    const { found } = await store.list('inputs', name.slice(0, -1));
    // S3 knows the time to the second.
    const written = found.find((object) => object.key === name)?.lastModified.getTime() ?? 0;
    expect(Math.abs(written - before)).toBeLessThan(10_000);
  });

  test('exists tells objects apart whose keys begin the same', async () => {
    await store.putResult(key('exists-ab.png'), randomBytes(10), 'image/png');
    const ref = (name: string) => ({ bucket: 'results' as const, key: key(name) });
    expect(await store.exists(ref('exists-ab.png'))).toBe(true);
    for (const name of ['exists-a', 'exists-ab', 'exists-ab.png.png'])
      expect(await store.exists(ref(name))).toBe(false);
    expect(await store.exists({ bucket: 'inputs', key: key('exists-ab.png') })).toBe(false);
  });

  test('a bucket has at most one mark, which is not listed', async () => {
    expect(await store.mark('results')).toBeUndefined();
    await store.setMark('results', 'one');
    await store.setMark('results', 'two');
    expect(await store.mark('results')).toBe('two');
    const { found } = await store.list('results');
    expect(found.filter((object) => object.key.includes('installation'))).toEqual([]);
  });

  test('a result URL is the public base URL and the key', () => {
    expect(store.resultUrl('acc/file-staged.jpg')).toBe(`${s3.uploadUrl}/acc/file-staged.jpg`);
    expect(store.resultUrl('acc/a b?.jpg')).toBe(`${s3.uploadUrl}/acc/a%20b%3F.jpg`);
  });
});

describe('buckets', () => {
  test('results have anonymous reads, a content type and max-age of a day', async () => {
    const bytes = randomBytes(2000);
    await real.putResult('acc/file-staged.webp', bytes, 'image/webp');
    const response = await fetch(real.resultUrl('acc/file-staged.webp'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/webp');
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('max-age of results is configurable', async () => {
    await using strict = createImageStore({ ...s3, resultsMaxAgeS: 0 });
    await strict.putResult('acc/file-fresh.png', randomBytes(10), 'image/png');
    const response = await fetch(strict.resultUrl('acc/file-fresh.png'));
    expect(response.headers.get('cache-control')).toBe('public, max-age=0');
  });

  test('anonymous requests can neither list, write nor read inputs', async () => {
    await real.putInput('acc/private.png', randomBytes(10), 'image/png');
    const inputs = `${s3.endpoint}/${s3.inputsBucket}`;
    expect((await fetch(`${inputs}/acc/private.png`)).status).toBe(403);
    expect((await fetch(inputs)).status).toBe(403);
    expect((await fetch(`${s3.endpoint}/${s3.resultsBucket}?list-type=2`)).status).toBe(403);
    const put = await fetch(real.resultUrl('acc/planted.png'), { method: 'PUT', body: 'x' });
    expect(put.status).toBe(403);
  });

  test('buckets that are not identified get no policy', async () => {
    const other = ownConfig().s3;
    const foreign = () => Promise.reject(new Error('foreign'));
    await expect(setupBuckets(other, foreign)).rejects.toThrow('foreign');
    await using store = createImageStore(other);
    await store.putResult('acc/private.png', randomBytes(10), 'image/png');
    expect((await fetch(store.resultUrl('acc/private.png'))).status).toBe(403);
  });

  test('setup is idempotent, also concurrently', async () => {
    await Promise.all([setupBuckets(s3), setupBuckets(s3), setupBuckets(s3)]);
    await real.putInput('acc/again.png', randomBytes(10), 'image/png');
  });

  test('an upload that does not match its digest is refused', async () => {
    const wrong = createHash('sha256').update('something else').digest('hex');
    const put = real.putInput('acc/torn.png', randomBytes(100), 'image/png', wrong);
    await expect(put).rejects.toThrow(ImageStoreUnavailable);
    await expect(real.getInput('acc/torn.png')).rejects.toThrow(ImageMissing);
  });
});

test('a key that the store rejects does not prevent the removal of others', async () => {
  const keys = Array.from({ length: 9 }, (_, n) => `acc/beside-${n}.png`);
  for (const key of keys) await real.putInput(key, randomBytes(1), 'image/png');
  const refs = [...keys.slice(0, 4), 'acc/\u0001', ...keys.slice(4)].map((key) => ({
    bucket: 'inputs' as const,
    key,
  }));
  expect((await real.remove(refs)).map(({ ref }) => ref.key)).toEqual(['acc/\u0001']);
  for (const key of keys) await expect(real.getInput(key)).rejects.toThrow(ImageMissing);
});

describe('an unreachable store', () => {
  test('throws ImageStoreUnavailable, and remove reports every object', async () => {
    await using store = createImageStore({ ...s3, endpoint: 'http://127.0.0.1:1' });
    await expect(store.putInput('a', randomBytes(1), 'image/png')).rejects.toThrow(ImageStoreUnavailable);
    await expect(store.getInput('a')).rejects.toThrow(ImageStoreUnavailable);
    await expect(store.list('inputs')).rejects.toThrow(ImageStoreUnavailable);
    const refs = [
      { bucket: 'inputs' as const, key: 'a' },
      { bucket: 'results' as const, key: 'b' },
    ];
    expect((await store.remove(refs)).map(({ ref }) => ref)).toEqual(refs);
  });

  test('a wrong secret key throws ImageStoreUnavailable', async () => {
    await using store = createImageStore({ ...s3, secretAccessKey: 'wrong' });
    await expect(store.putInput('a', randomBytes(1), 'image/png')).rejects.toThrow(ImageStoreUnavailable);
  });
});
