import { RATE_LIMITS } from '../../../contract/limits.ts';

const TAGS = [
  { name: 'Jobs', description: 'One image through one tool: create, follow, delete.' },
  { name: 'Account', description: 'Balance and settings behind the calling key.' },
  { name: 'Tools', description: 'What can be done to a picture, and what it costs.' },
];

/** Everything of the document that no route states. */
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
    'Send a picture and the name of a tool. The job is charged and accepted at once and rendered in the background; collect the result by polling or by a webhook.',
    `Every answer that is not 2xx has one shape, \`{"error": {"code", "message", "doc_url"}}\`. Branch on \`code\`; [the errors page](${publicUrl}/docs/errors) explains each one.`,
    `Requests are counted in a sliding window of ${RATE_LIMITS.windowMs / 1000} seconds: ${RATE_LIMITS['create-job']} creations, ${RATE_LIMITS['read-job']} reads and ${RATE_LIMITS['delete-job']} deletions of jobs and ${RATE_LIMITS['read-account']} reads of account and tools for each key, and ${RATE_LIMITS.ip} of any kind for each address.`,
    'Fields may be added to answers at any time; ignore those you do not know.',
  ].join('\n\n');
}
