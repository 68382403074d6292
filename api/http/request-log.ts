import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyRequest, onResponseAsyncHookHandler } from 'fastify';
import './fastify-types.ts';
import { pathOf } from './error-handler.ts';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's X-Request-Id if it is well-formed and contains no API key, since it is logged; else a new one. */
export function requestId(keyPrefix: string) {
  return (request: IncomingMessage): string => {
    const sent = request.headers['x-request-id'];
    const usable = typeof sent === 'string' && WELL_FORMED.test(sent) && !sent.includes(keyPrefix);
    return usable ? sent : randomUUID();
  };
}

/** Adds fields to all further lines of the request. */
export function bindLog(request: FastifyRequest, fields: Readonly<Record<string, string | number>>): void {
  request.log = request.log.child(fields);
}

/** Says which job the request is about, in its log lines and its span. To be called once. */
export function bindJob(request: FastifyRequest, jobId: string): void {
  request.jobId = jobId;
  bindLog(request, { jobId });
}

/** onResponse hook: logs one line per request, but none for probes and for rejections that are not reported. */
export const logResponse: onResponseAsyncHookHandler = async (request, reply) => {
  const { method, ip, routeOptions, unlogged } = request;
  if (routeOptions.config.probe || unlogged) return;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  // Behind a proxy the address comes from X-Forwarded-For, which may hold anything.
  const clientIp = isIP(ip) === 0 ? '*' : ip;
  request.log.info(
    { method, path: pathOf(request), status: reply.statusCode, ms, ip: clientIp },
    'request completed',
  );
};
