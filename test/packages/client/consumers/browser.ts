// Compiled without the types of Node, as in a browser.
import { type CreateOptions, ImageJobError, ImageJobs, type ToolSlug, webhooks } from 'image-job';

const client = new ImageJobs({ apiKey: 'key', baseUrl: 'https://api.example.com/api' });
const image = new Blob();

/** Right calls. */
export async function right(file: File, signal: AbortSignal): Promise<string[]> {
  const url = new URL('https://photos.example.com/a.jpg');
  await client.jobs.create({ tool: 'lawn-enhancement', image: url });
  await client.jobs.create({ tool: 'lawn-enhancement', image: new Uint8Array(), key: '4711', signal });
  await client.jobs.create({ tool: 'virtual-staging', image, options: { style: 'modern' } });
  const { job, images } = await client.jobs.run({
    tool: 'roof-replacement',
    image: file,
    options: { material: 'slate', resolution: '4K', tier: 'guided' },
    webhookUrl: 'https://hooks.example.com',
    timeoutMs: 60_000,
    onUpdate: ({ status }) => status === 'processing',
  });
  const size: number | undefined = images[0]?.size;
  for await (const { failure } of client.jobs.list({ status: 'failed', tool: job.tool }))
    if (failure?.reason === 'safety') return [String(size)];
  for await (const page of client.ledger().pages()) return page.map(({ kind }) => kind);
  const { image_credits } = await client.account({ signal });
  return [String(image_credits)];
}

/** Every tool can be called by a variable. */
export const anyTool = (tool: ToolSlug) => client.jobs.create({ tool, image });

export const roof: CreateOptions<'roof-replacement'> = { tool: 'roof-replacement', image };

export function codeOf(error: unknown): string {
  if (!(error instanceof ImageJobError)) return '';
  // @ts-expect-error: no such code
  if (error.code === 'out_of_images') return '';
  return error.code === 'insufficient_credits' ? 'buy a pack' : (error.requestId ?? '');
}

export async function received(request: Request): Promise<string> {
  const event = await webhooks.verify(request.headers, await request.text(), 'whsec_');
  return event.type === 'test.ping' ? event.data.account_id : event.job_id;
}

/** Wrong calls. */
export async function wrong(): Promise<void> {
  // @ts-expect-error: no such tool
  await client.jobs.create({ tool: 'roof', image });
  // @ts-expect-error: no image
  await client.jobs.create({ tool: 'roof-replacement' });
  // @ts-expect-error: a path, which a browser does not have
  await client.jobs.create({ tool: 'roof-replacement', image: 'photo.jpg' });
  // @ts-expect-error: no such value
  await client.jobs.create({ tool: 'roof-replacement', image, options: { material: 'straw' } });
  // @ts-expect-error: an option of another tool
  await client.jobs.create({ tool: 'roof-replacement', image, options: { poolShape: 'round' } });
  // @ts-expect-error: virtual staging needs a style
  await client.jobs.create({ tool: 'virtual-staging', image });
  // @ts-expect-error: virtual staging needs a style
  await client.jobs.create({ tool: 'virtual-staging', image, options: {} });
  // @ts-expect-error: virtual staging always renders at 2K
  await client.jobs.run({ tool: 'virtual-staging', image, options: { style: 'modern', resolution: '4K' } });
  // @ts-expect-error: a string, not a boolean
  await client.jobs.dryRun({ tool: 'outdoor-living', image, options: { hasExisting: true } });
  // @ts-expect-error: no such status
  client.jobs.list({ status: 'done' });
  // @ts-expect-error: a client needs a key
  new ImageJobs({ baseUrl: 'https://api.example.com/api' });
}
