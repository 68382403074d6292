import { ImageMissing, type ImageStore, MARK_KEY, publicUrl } from '../../lib/stores/image-store.ts';

interface StoredImage {
  bytes: Buffer;
  mime: string;
  lastModified: Date;
}

/** An image store in memory. Tests may read `objects`. */
export function createFakeImageStore(
  uploadUrl = 'https://images.test',
): ImageStore & { objects: Map<string, StoredImage> } {
  const objects = new Map<string, StoredImage>();
  const put = async (name: string, bytes: Uint8Array, mime: string) => {
    objects.set(name, { bytes: Buffer.from(bytes), mime, lastModified: new Date() });
  };
  return {
    objects,
    putInput: (key, bytes, mime) => put(`inputs/${key}`, bytes, mime),
    putResult: (key, bytes, mime) => put(`results/${key}`, bytes, mime),
    async getInput(key) {
      const image = objects.get(`inputs/${key}`);
      if (image === undefined) throw new ImageMissing(key);
      return Buffer.from(image.bytes);
    },
    async remove(refs) {
      for (const { bucket, key } of refs) objects.delete(`${bucket}/${key}`);
      return [];
    },
    async list(bucket, after = '', limit = 1000) {
      const all = [...objects]
        .filter(([name]) => name.startsWith(`${bucket}/`))
        .map(([name, { lastModified }]) => ({ key: name.slice(bucket.length + 1), lastModified }))
        .filter(({ key }) => key > after && key !== MARK_KEY)
        .sort((a, b) => (a.key < b.key ? -1 : 1));
      const page = all.slice(0, limit);
      return { found: page, next: all.length > limit ? page.at(-1)?.key : undefined };
    },
    exists: async ({ bucket, key }) => objects.has(`${bucket}/${key}`),
    mark: async (bucket) => objects.get(`${bucket}/${MARK_KEY}`)?.bytes.toString(),
    setMark: (bucket, mark) => put(`${bucket}/${MARK_KEY}`, Buffer.from(mark), 'text/plain'),
    check: async () => {},
    resultUrl: (key) => publicUrl(uploadUrl, key),
  };
}
