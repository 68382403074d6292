import { idempotencyKey } from './idempotency-key.ts';
import { type ImageSource, imageField } from './image.ts';
import type { Edit, ToolSlug } from './types.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** The parts of a new job. `Path` is the type of a path in the file system, if there is one. */
export type CreateOptions<Slug extends ToolSlug, Path = never> = Edit<Slug> &
  CallOptions & {
    image: ImageSource | Path;
    /**
     * The id of your own record, such as `listing-4711/photo-3`. The Idempotency-Key is derived
     * from it and from what is sent, so a repeated call, even of another process, returns the same
     * job and charges once. Without it, only the retries within this call are safe.
     */
    key?: string;
    /** Public https URL that is notified when the job ends, instead of the account's endpoint. */
    webhookUrl?: string;
  };

/** The parts of a request `POST /v1/jobs`. */
export interface CreateRequest {
  idempotencyKey: string;
  body: string | FormData;
}

/**
 * @param open opens a file of the file system, where there is one
 * @throws {TypeError} for an image or a key that the types do not allow
 */
export async function createRequest<Slug extends ToolSlug, Path extends string>(
  { image, tool, options, webhookUrl, key = crypto.randomUUID() }: CreateOptions<Slug, Path>,
  open: (path: Path) => Promise<Blob>,
): Promise<CreateRequest> {
  if (typeof key !== 'string')
    throw new TypeError('key must be a string, the id of your own record: pass String(id) for a number.');
  const source = await imageField(typeof image === 'string' ? await open(image) : image);
  const fields = { tool, options: isEmpty(options) ? undefined : options, webhook_url: webhookUrl };
  return {
    idempotencyKey: await idempotencyKey(key, { ...fields, image: source.identity }),
    body: bodyOf(fields, source.image),
  };
}

/**
 * A request without options is the same as a request with undefined options, and has the same key.
 */
const isEmpty = (options: object | undefined) =>
  Object.values(options ?? {}).every((value) => value === undefined);

/** A form sends the bytes as they are. Base64 would be a third longer, and slower on both sides. */
function bodyOf(fields: object, image: URL | Blob): string | FormData {
  if (image instanceof URL) return JSON.stringify({ ...fields, image_url: image.href });
  const form = new FormData();
  form.set('job', new Blob([JSON.stringify(fields)], { type: 'application/json' }));
  form.set('image', image);
  return form;
}
