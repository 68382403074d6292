import type { Outcome } from './edit-photo.ts';
import { printable, printableJson } from './printable.ts';

/** Writes to a stream such as process.stderr. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

export interface Progress {
  add(outcome: Outcome): void;
  end(): void;
}

const WIDTH = 24;

/** A bar on a terminal, a line for each photo elsewhere, or lines of JSON. */
export function createProgress(
  { stdout, stderr }: { stdout: Output; stderr: Output },
  { total, json }: { total: number; json: boolean },
): Progress {
  const bar = stderr.isTTY === true && !json;
  let done = 0;
  let failed = 0;
  const draw = () => {
    const filled = Math.round((done / total) * WIDTH);
    const failures = failed === 0 ? '' : `, ${failed} failed`;
    stderr.write(
      `\r\u001b[K[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done}/${total}${failures}`,
    );
  };
  if (bar) draw();
  return {
    add(outcome) {
      done += 1;
      if (outcome.status === 'failed') failed += 1;
      if (bar) stderr.write('\r\u001b[K');
      if (json) stdout.write(`${printableJson(outcome)}\n`);
      else report(outcome, { stdout, stderr });
      if (bar) draw();
    },
    end: () => void (bar && stderr.write('\n')),
  };
}

function report(outcome: Outcome, { stdout, stderr }: { stdout: Output; stderr: Output }): void {
  const { status, error, images_charged: price } = outcome;
  const input = printable(outcome.input);
  for (const warning of outcome.warnings) stderr.write(`${input}: ${printable(warning)}\n`);
  if (status === 'failed') stderr.write(`${input}: ${printable(error ?? 'It failed.')}\n`);
  else if (status === 'checked') stdout.write(`${input}: ${price} ${price === 1 ? 'image' : 'images'}\n`);
  else
    stdout.write(`${input} -> ${printable(outcome.output)}${status === 'kept' ? ' (already there)' : ''}\n`);
}
