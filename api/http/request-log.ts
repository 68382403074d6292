import { isIP } from 'node:net';
import type { onResponseAsyncHookHandler } from 'fastify';
import './request.ts';
import { pathOf } from './errors.ts';

/** onResponse hook: logs one line per request. */
export const logResponse: onResponseAsyncHookHandler = async (request, reply) => {
  const { method, ip, caller } = request;
  const ids = caller === undefined ? {} : { accountId: caller.accountId, keyId: caller.keyId };
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  // Behind a proxy the address comes from X-Forwarded-For, which may hold anything.
  const clientIp = isIP(ip) === 0 ? '*' : ip;
  request.log.info(
    { method, path: pathOf(request), status: reply.statusCode, ms, ip: clientIp, ...ids },
    'request completed',
  );
};
