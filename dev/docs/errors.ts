import { ERRORS, type ErrorCode } from '../../lib/contract/errors.ts';
import { FAILURES, type Failure } from '../../lib/protocol/failure-types.ts';

/** Text of docs/errors.md: the error table, and the failures that Temporal shows. */
export function errorsMarkdown(): string {
  return `# Errors

This file is generated from \`lib/contract/errors.ts\` and \`lib/protocol/failure-types.ts\` by \`npm run docs\`.

## In responses

Every non-2xx response has the body \`{"error": {"code", "message", "doc_url"}}\`. Branch on \`code\`; \`message\` is
human-readable and may change. The page \`/docs/errors\` of the service also explains what to do about each code.

"Retry" says whether the same request may succeed later.

| Code | Status | Retry | When |
|---|---|---|---|
${Object.entries(ERRORS).map(errorRow).join('\n')}

## In Temporal

Activities and workflows report failures of these types. The Temporal UI shows them. A failure of any other type is an
unexpected error. It has the name of its class and is retried.

"Retried" says whether Temporal runs the activity again. With \`limited\` it does so until the attempts for this failure are
used up. "Client" is the code by which the client learns of a final failure. With \`generation_failed\` the job is \`failed\`
and refunded.

| Type | Retried | Client | What happened |
|---|---|---|---|
${Object.values(FAILURES).map(failureRow).join('\n')}
`;
}

function errorRow([code, entry]: [string, (typeof ERRORS)[ErrorCode]]): string {
  const addition = 'addition' in entry ? ' (an addition to version 1)' : '';
  return `| \`${code}\` | ${entry.status} | ${entry.retryable ? 'yes' : 'no'} | ${entry.description}${addition} |`;
}

function failureRow(failure: Failure): string {
  const code = 'code' in failure ? `\`${failure.code}\`` : '';
  return `| \`${failure.type}\` | ${failure.retry} | ${code} | ${failure.description} |`;
}
