import { dirname, join } from 'node:path';
import { root } from './project.ts';
import type { Stack } from './stack.ts';

const shellQuoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const SAMPLE = shellQuoted(join(root, 'docs/sample-room.jpg'));

/** What `npm start` prints when it is ready. Its commands work as pasted, in any folder. */
export function banner({
  described: stack,
  dataDir,
  warnings,
}: Pick<Stack, 'described' | 'dataDir' | 'warnings'>): string {
  const header = `-H 'X-Api-Key: ${stack.demo_api_key}'`;
  const operator = `npm --prefix ${shellQuoted(dirname(dataDir))} run --silent operator --`;
  return `
Image Job API is running. Ctrl-C stops it; its data is kept.

  API base      ${stack.api_base}
  Docs          ${stack.api_base}/docs
  Demo key      ${stack.demo_api_key}
  Demo account  ${stack.demo_account_id}
  Temporal UI   ${stack.temporal_ui ?? `not started (frontend at ${stack.temporal_address})`}
  Data          ${dataDir} (logs in logs/)
${warnings.map((warning) => `\n  Warning: ${warning}\n`).join('')}
Create a job from the sample photo:

  printf '{"tool":"image-enhancement","image_base64":"%s"}' "$(base64 < ${SAMPLE} | tr -d '\\n')" | curl -sS ${header} -H 'Content-Type: application/json' --data-binary @- ${stack.api_base}/v1/jobs

Read it, with the job_id of the response:

  curl -sS ${header} ${stack.api_base}/v1/jobs/JOB_ID

Add images to the demo account, which also removes the watermark:

  ${operator} pack add --account ${stack.demo_account_id} --images 500

`;
}
