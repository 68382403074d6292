import { createOpenai } from '../../../../lib/generators/adapters/openai.ts';
import { type FakeOptions, type FakeWithAdapter, HANGS, QUICK_TIMING, SECRET, startFake } from './fake.ts';

export const OPENAI: FakeOptions = {
  create: (baseUrl, egress) =>
    createOpenai(
      {
        apiKey: SECRET,
        baseUrl: `${baseUrl}/v1`,
        model: 'gpt-image-2.6-sunburst',
        quality: 'medium',
        concurrency: 8,
        resultOrigins: [],
      },
      egress,
      QUICK_TIMING,
    ),
  replies: ({ image }) => {
    const usage = {
      input_tokens: 1500,
      output_tokens: 2100,
      input_tokens_details: { image_tokens: 1400, text_tokens: 100 },
    };
    const json = { created: 1, data: [{ b64_json: image.toString('base64') }], usage };
    const reply = { status: 200, json };
    return { submit: reply, poll: reply, result: reply };
  },
  stepOf: () => 'submit',
  whileRunning: () => HANGS,
  env: (baseUrl) => ({ OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${baseUrl}/v1` }),
};

export const startOpenai = (): Promise<FakeWithAdapter> => startFake(OPENAI);
