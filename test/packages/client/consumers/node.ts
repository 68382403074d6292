import { readFile } from 'node:fs/promises';
import { type ImageJobError, ImageJobs, JobFailedError } from 'image-job/node';

const client = new ImageJobs({ apiKey: 'key', baseUrl: 'https://api.example.com/api', fetch, timeoutMs: 1 });

export async function right(): Promise<number> {
  await client.jobs.create({ tool: 'declutter', image: 'photo.jpg' });
  await client.jobs.create({ tool: 'declutter', image: await readFile('photo.jpg') });
  const job = await client.jobs.wait('7c6c4f0e-2f0b-4c43-9d0a-6f0a3c8e51b7', { timeoutMs: 1000 });
  return job.images_charged;
}

export const isCancelled = (error: ImageJobError | JobFailedError) =>
  error instanceof JobFailedError && error.job.failure?.reason === 'cancelled';

export async function wrong(): Promise<void> {
  // @ts-expect-error: no such value
  await client.jobs.create({ tool: 'pool-removal', image: 'photo.jpg', options: { replacementType: 'sea' } });
  // @ts-expect-error: no photo
  await client.jobs.create({ tool: 'declutter', image: 7 });
}
