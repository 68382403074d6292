import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { egressWarning } from '../egress/allow-origins.ts';
import { root } from './project.ts';
import type { StackFile } from './stack-file.ts';

/** As one word of a shell. */
const SAMPLE = `'${join(root, 'docs/sample-room.jpg').replaceAll("'", String.raw`'\''`)}'`;

/** What a person needs to make the first call. Every command works as pasted, in any folder. */
export function banner(stack: StackFile, dataFolder: string): string {
  const warning = egressWarning(loadConfig(stack.env).egress.allowOrigins);
  const header = `-H 'X-Api-Key: ${stack.demo_api_key}'`;
  return `
Image Job API is running. Ctrl-C stops it; its data stays.

  API base     ${stack.api_base}
  Demo key     ${stack.demo_api_key}
  Temporal UI  ${stack.temporal_ui ?? `none here (frontend at ${stack.temporal_address})`}
  Data         ${dataFolder} (logs in logs/)
${warning === undefined ? '' : `\n  Warning: ${warning}\n`}
Create a job from the sample photo:

  printf '{"tool":"image-enhancement","image_base64":"%s"}' "$(base64 < ${SAMPLE} | tr -d '\\n')" | curl -sS ${header} -H 'Content-Type: application/json' --data-binary @- ${stack.api_base}/v1/jobs

Look at it, with the job_id of the answer:

  curl -sS ${header} ${stack.api_base}/v1/jobs/JOB_ID

`;
}
