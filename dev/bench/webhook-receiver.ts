import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A webhook receiver: `POST /<milliseconds>` answers 204 after this delay. */
const server = createServer(async (request, response) => {
  for await (const _ of request);
  const wait = Number(request.url?.slice(1));
  if (wait > 0) await delay(wait);
  response.writeHead(204).end();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
