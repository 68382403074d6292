import { createFal } from '../../../../lib/generators/adapters/fal.ts';
import { type FakeOptions, type FakeWithAdapter, QUICK_TIMING, SECRET, startFake } from './fake.ts';

const images = (url: string) => [{ url, width: 96, height: 64, content_type: 'image/jpeg' }];

export const FAL: FakeOptions = {
  create: (baseUrl, egress) =>
    createFal(
      {
        apiKey: SECRET,
        baseUrl,
        model: 'fal-ai/m/edit',
        imageField: 'image_urls[]',
        input: '{"output_format":"jpeg"}',
        concurrency: 8,
        resultOrigins: [],
      },
      egress,
      QUICK_TIMING,
    ),
  replies: ({ server, results, image }) => {
    const task = `${server}/fal-ai/m/requests/q1`;
    const urls = { status_url: `${task}/status`, response_url: task, cancel_url: `${task}/cancel` };
    return {
      submit: { status: 200, json: { request_id: 'q1', status: 'IN_QUEUE', queue_position: 0, ...urls } },
      poll: {
        status: 200,
        json: { images: images(`${results}/i.jpg`), seed: 1, has_nsfw_concepts: [false] },
      },
      result: { status: 200, bytes: image },
    };
  },
  stepOf({ method, path }) {
    if (method === 'PUT') return 'cancel';
    if (path.endsWith('/status')) return { status: 200, json: { status: 'COMPLETED', request_id: 'q1' } };
    return method === 'POST' ? 'submit' : 'poll';
  },
  whileRunning: ({ path }) =>
    path.endsWith('/status') ? { status: 202, json: { status: 'IN_PROGRESS', request_id: 'q1' } } : undefined,
  env: (baseUrl) => ({ FAL_KEY: SECRET, FAL_BASE_URL: baseUrl }),
};

export const startFal = (): Promise<FakeWithAdapter> => startFake(FAL);
