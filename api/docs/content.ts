import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** With higher levels the largest file takes two to three times as long, for a tenth of its size. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const GZIP = { level: 4 };

interface Variant {
  body: Buffer;
  etag: string;
  /** Undefined for the content itself. */
  encoding?: 'br' | 'gzip';
}

/** What the docs serve under one path for as long as the process runs. */
export interface DocsContent {
  type: string;
  identity: Variant;
  /** Those that are smaller, in the order of preference. */
  compressed: readonly Variant[];
}

/** Compresses off the event loop. */
export async function createContent(type: string, body: Buffer): Promise<DocsContent> {
  const [br, gz] = await Promise.all([promisify(brotliCompress)(body, BROTLI), promisify(gzip)(body, GZIP)]);
  const digest = createHash('sha256').update(body).digest('base64url');
  const compressed: readonly Variant[] = [
    { body: br, etag: `"${digest}-br"`, encoding: 'br' },
    { body: gz, etag: `"${digest}-gzip"`, encoding: 'gzip' },
  ];
  return {
    type,
    identity: { body, etag: `"${digest}"` },
    compressed: compressed.filter((variant) => variant.body.length < body.length),
  };
}

/**
 * Sends the variant that the client prefers, or 304 if it has that one already. All responses share the Buffer: a string
 * would be encoded again for each connection, and kept until its client has read it.
 */
export function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  content: DocsContent,
): FastifyReply {
  const { 'accept-encoding': accepted = '', 'if-none-match': known = '' } = request.headers;
  const { body, etag, encoding } =
    content.compressed.find(({ encoding = '' }) => accepts(String(accepted), encoding)) ?? content.identity;
  reply.headers({
    'Content-Type': content.type,
    'Cache-Control': 'public, max-age=300',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Encoding',
    ETag: etag,
  });
  if (known.includes(etag)) return reply.code(304).send();
  if (encoding !== undefined) reply.header('Content-Encoding', encoding);
  return reply.send(body);
}

/** Whether Accept or Accept-Encoding (RFC 9110, 12.5) has this name, with a weight other than 0. Wildcards do not count. */
export function accepts(header: string, expected: string): boolean {
  return header.split(',').some((item) => {
    const [name, ...weights] = item.split(';').map((part) => part.trim().toLowerCase());
    return name === expected && !weights.some((weight) => /^q=0(?:\.0*)?$/.test(weight));
  });
}
