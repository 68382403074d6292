import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/**
 * Whether a person can be asked. The question is written to stderr, so stdout may be redirected.
 */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks once; anything but yes, including the end of the input and Ctrl-C, means no. */
export async function ask({ stdin, stderr }: Terminal, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: isInteractive({ stdin, stderr }) });
  try {
    const unanswered = () => undefined;
    const ended = once(lines, 'close').then(unanswered);
    const answer = await Promise.race([lines.question(`${question} [y/N] `).catch(unanswered), ended]);
    if (answer === undefined) stderr.write('\n');
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    lines.close();
  }
}
