import { RATE_LIMITS } from '../../../lib/contract/limits.ts';

const TAGS = [
  {
    name: 'Jobs',
    description: 'Create, read, list, cancel and delete jobs. A job runs one image through one tool.',
  },
  { name: 'Account', description: 'Balance and settings of the account.' },
  { name: 'Ledger', description: 'Every change of the balance.' },
  {
    name: 'Webhooks',
    description: 'The webhook endpoint of the account, and the deliveries to it and to single jobs.',
  },
  { name: 'Tools', description: 'The available tools and their prices.' },
];

/** The parts of the document that do not come from a route. */
export function documentBase(publicUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Image Job API',
      version: '1.0.0',
      summary: 'One image through one editing tool per job, billed in images.',
      description: introduction(publicUrl),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Tools, errors, webhooks and changes as pages', url: `${publicUrl}/docs` },
    servers: [{ url: publicUrl }],
    tags: TAGS,
    security: [{ ApiKey: [] }],
  };
}

function introduction(publicUrl: string): string {
  return [
    'Send an image and the slug of a tool. The job is accepted and charged at once and rendered in the background; get the result by polling, by waiting (`Prefer: wait=60`), by server-sent events or by webhook.',
    `Every non-2xx response has the same body, \`{"error": {"code", "message", "doc_url"}}\`. Branch on \`code\`; [the errors page](${publicUrl}/docs/errors) explains each one.`,
    `Rate limits apply to a sliding window of ${RATE_LIMITS.windowMs / 1000} seconds. Per key: ${RATE_LIMITS['create-job']} job creations, ${RATE_LIMITS['read-job']} job reads, ${RATE_LIMITS['delete-job']} job deletions and cancellations together, ${RATE_LIMITS['read-account']} reads of account and tools, ${RATE_LIMITS.list} pages of lists, and ${RATE_LIMITS.webhooks} requests about webhooks. Per client address: ${RATE_LIMITS.ip} requests of any kind.`,
    'Fields may be added to responses at any time; ignore fields you do not know.',
  ].join('\n\n');
}
