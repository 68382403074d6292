import { ImageJobs } from '../../../packages/client/src/index.ts';

export const API_KEY = 'ij_test_key';
export const BASE_URL = 'https://api.example.com/api';
/** As much of a JPEG as the client looks at. */
export const JPEG = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0);

interface Sent {
  url: string;
  init: RequestInit;
  /** Milliseconds since the first request. */
  at: number;
}

type Answer = Response | Error | 'never' | (() => Response);

/** A client whose requests are answered from this list; the last answer is repeated. */
export function clientAnswered(...answers: Answer[]) {
  const sent: Sent[] = [];
  const began = Date.now();
  const fetch = (url: string, init: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      sent.push({ url, init, at: Date.now() - began });
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true });
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (answer instanceof Error) reject(answer);
      else if (answer instanceof Response) resolve(answer.clone());
      else if (typeof answer === 'function') resolve(answer());
    });
  return { client: new ImageJobs({ apiKey: API_KEY, baseUrl: BASE_URL, fetch }), fetch, sent };
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

export const failure = (code: string, status: number, headers: Record<string, string> = {}) =>
  json(
    { error: { code, message: `It is ${code}.`, doc_url: `https://example.com#${code}` } },
    status,
    headers,
  );
