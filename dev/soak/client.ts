import { fetch } from 'undici';

export interface SoakResponse {
  status: number;
  body: Record<string, unknown>;
}

/** A client of one account. Each request comes from another address, because many clients share this machine. */
export interface SoakClient {
  readonly accountId: string;
  post(body: object, idempotencyKey: string): Promise<SoakResponse>;
  get(path: string): Promise<SoakResponse>;
  delete(path: string): Promise<SoakResponse>;
}

let requests = 0;

export function createClient(origin: string, accountId: string, apiKey: string): SoakClient {
  const call = async (method: string, path: string, more: { headers?: object; body?: string } = {}) => {
    requests += 1;
    const address = `10.1.${Math.floor(requests / 250) % 250}.${requests % 250}`;
    const headers = { 'x-api-key': apiKey, 'x-forwarded-for': address, ...more.headers };
    const response = await fetch(`${origin}/api/v1/${path}`, { ...more, method, headers });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  };
  return {
    accountId,
    post: (body, idempotencyKey) =>
      call('POST', 'jobs', {
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(body),
      }),
    get: (path) => call('GET', path),
    delete: (path) => call('DELETE', path),
  };
}
