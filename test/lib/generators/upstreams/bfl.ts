import { createBfl } from '../../../../lib/generators/adapters/bfl.ts';
import { type FakeOptions, type FakeWithAdapter, QUICK_TIMING, SECRET, startFake } from './fake.ts';

export const BFL: FakeOptions = {
  create: (baseUrl, egress) =>
    createBfl(
      { apiKey: SECRET, baseUrl, model: 'flux-2-pro', concurrency: 8, resultOrigins: [] },
      egress,
      QUICK_TIMING,
    ),
  replies: ({ server, results, image }) => ({
    submit: {
      status: 200,
      json: { id: 't1', polling_url: `${server}/v1/get_result?id=t1`, cost: 4.5 },
    },
    poll: {
      status: 200,
      json: { id: 't1', status: 'Ready', result: { sample: `${results}/r.jpg`, seed: 1 } },
    },
    result: { status: 200, bytes: image, headers: { 'content-type': 'image/jpeg' } },
  }),
  stepOf: ({ method }) => (method === 'POST' ? 'submit' : 'poll'),
  whileRunning: (_, step) =>
    step === 'poll' ? { status: 200, json: { id: 't1', status: 'Pending', result: null } } : undefined,
  env: (baseUrl) => ({ BFL_API_KEY: SECRET, BFL_BASE_URL: baseUrl }),
};

export const startBfl = (): Promise<FakeWithAdapter> => startFake(BFL);
