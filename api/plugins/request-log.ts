import { isIP } from 'node:net';
import type { onResponseAsyncHookHandler } from 'fastify';
import '../request.ts';
import { pathOf } from './errors.ts';

/** One line for each request, once it is answered: who asked for what, and what came of it. */
export const logAnswer: onResponseAsyncHookHandler = async (request, reply) => {
  const { method, ip, caller } = request;
  const who = caller === undefined ? {} : { accountId: caller.accountId, keyId: caller.keyId };
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  // Behind a proxy it is what X-Forwarded-For says.
  const from = isIP(ip) === 0 ? '*' : ip;
  request.log.info(
    { method, path: pathOf(request), status: reply.statusCode, ms, ip: from, ...who },
    'answered',
  );
};
