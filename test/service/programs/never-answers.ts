import fastify from 'fastify';
import { aborted, shutdownSignal } from '../../../runtime.ts';

// A server whose requests never end, which Fastify waits for when it closes. Prints its address, and `asked` when one comes.

const signal = shutdownSignal(500);
await using app = fastify();
app.get('/', () => {
  process.stdout.write('asked\n');
  return new Promise(() => {});
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
await aborted(signal);
