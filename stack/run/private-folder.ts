import { chmodSync, mkdirSync } from 'node:fs';

/** Makes the folder, or takes over one that is there, so that only this user may look into it or change it. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
