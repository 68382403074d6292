import { createReplicate } from '../../../../lib/generators/adapters/replicate.ts';
import { type FakeOptions, type FakeWithAdapter, QUICK_TIMING, SECRET, startFake } from './fake.ts';

const prediction = (changes: object) => ({
  id: 'p1',
  model: 'o/m',
  status: 'starting',
  input: {},
  output: null,
  error: null,
  logs: '',
  metrics: {},
  ...changes,
});

export const REPLICATE: FakeOptions = {
  create: (baseUrl, egress) =>
    createReplicate(
      {
        apiKey: SECRET,
        baseUrl,
        model: 'o/m',
        imageField: 'input_images[]',
        input: '{"aspect_ratio":"match_input_image","width":"{{width}}"}',
        concurrency: 8,
        resultOrigins: [],
      },
      egress,
      QUICK_TIMING,
    ),
  replies: ({ results, image }) => ({
    submit: { status: 201, json: prediction({}) },
    poll: { status: 200, json: prediction({ status: 'succeeded', output: `${results}/o.jpg` }) },
    result: { status: 200, bytes: image },
  }),
  stepOf({ method, path }) {
    if (path.endsWith('/cancel')) return 'cancel';
    return method === 'POST' ? 'submit' : 'poll';
  },
  whileRunning: (_, step) =>
    step === 'poll' ? { status: 200, json: prediction({ status: 'processing' }) } : undefined,
  env: (baseUrl) => ({ REPLICATE_API_TOKEN: SECRET, REPLICATE_BASE_URL: baseUrl }),
};

export const startReplicate = (): Promise<FakeWithAdapter> => startFake(REPLICATE);
