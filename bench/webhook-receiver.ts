import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A receiver in a process of its own; it answers 204 once it has the body and the path's milliseconds have passed. */
const server = createServer(async (request, response) => {
  for await (const _ of request);
  const wait = Number(request.url?.slice(1));
  if (wait > 0) await delay(wait);
  response.writeHead(204).end();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
