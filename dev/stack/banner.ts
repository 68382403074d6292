import { join } from 'node:path';
import { loadConfig } from '../../config.ts';
import { egressWarning } from '../../egress/allow-origins.ts';
import { root } from './project.ts';
import type { StackFile } from './stack-file.ts';

/** Quoted for a shell. */
const SAMPLE = `'${join(root, 'docs/sample-room.jpg').replaceAll("'", String.raw`'\''`)}'`;

/** What `npm start` prints when it is ready. Its commands work as pasted, in any folder. */
export function banner(stack: StackFile, dataFolder: string): string {
  const warning = egressWarning(loadConfig(stack.env).egress.allowOrigins);
  const header = `-H 'X-Api-Key: ${stack.demo_api_key}'`;
  return `
Image Job API is running. Ctrl-C stops it; its data is kept.

  API base     ${stack.api_base}
  Demo key     ${stack.demo_api_key}
  Temporal UI  ${stack.temporal_ui ?? `not started (frontend at ${stack.temporal_address})`}
  Data         ${dataFolder} (logs in logs/)
${warning === undefined ? '' : `\n  Warning: ${warning}\n`}
Create a job from the sample photo:

  printf '{"tool":"image-enhancement","image_base64":"%s"}' "$(base64 < ${SAMPLE} | tr -d '\\n')" | curl -sS ${header} -H 'Content-Type: application/json' --data-binary @- ${stack.api_base}/v1/jobs

Read it, with the job_id of the response:

  curl -sS ${header} ${stack.api_base}/v1/jobs/JOB_ID

`;
}
