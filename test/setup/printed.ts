import type { ChildProcess } from 'node:child_process';

/** The first match of the pattern in what the process prints to stdout from now on. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [match] = pattern.exec(output) ?? [];
      if (match !== undefined) resolve(match);
    });
    child.once('exit', () => reject(new Error(`The process exited without printing ${pattern}: ${output}`)));
  });
}
