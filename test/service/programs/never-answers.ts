import fastify from 'fastify';
import { aborted, shutdownSignal } from '../../../lib/process/process.ts';

// A server that never responds and, on close, waits for open requests. Prints its address, and `received` on a request.

const signal = shutdownSignal(500);
await using app = fastify();
app.get('/', () => {
  process.stdout.write('received\n');
  return new Promise(() => {});
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
await aborted(signal);
