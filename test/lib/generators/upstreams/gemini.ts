import { createGemini } from '../../../../lib/generators/adapters/gemini.ts';
import { type FakeOptions, type FakeWithAdapter, HANGS, QUICK_TIMING, SECRET, startFake } from './fake.ts';

const ok = (data: string) => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { inlineData: { mimeType: 'image/jpeg', data: 'ZHJhZnQ=' }, thought: true },
          { text: 't', thought: true },
          { inlineData: { mimeType: 'image/jpeg', data } },
        ],
      },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 1200, candidatesTokenCount: 1680, totalTokenCount: 2880 },
});

export const GEMINI: FakeOptions = {
  create: (baseUrl, egress) =>
    createGemini(
      {
        apiKey: SECRET,
        baseUrl: `${baseUrl}/v1beta`,
        model: 'gemini-nano-banana-2.1',
        concurrency: 8,
        resultOrigins: [],
      },
      egress,
      QUICK_TIMING,
    ),
  replies: ({ image }) => {
    const reply = { status: 200, json: ok(image.toString('base64')) };
    return { submit: reply, poll: reply, result: reply };
  },
  stepOf: () => 'submit',
  whileRunning: () => HANGS,
  env: (baseUrl) => ({ GEMINI_API_KEY: SECRET, GEMINI_BASE_URL: `${baseUrl}/v1beta` }),
};

export const startGemini = (): Promise<FakeWithAdapter> => startFake(GEMINI);
