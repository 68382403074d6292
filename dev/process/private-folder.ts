import { chmodSync, mkdirSync } from 'node:fs';

/** Creates the folder if needed and makes it accessible to this user only. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
