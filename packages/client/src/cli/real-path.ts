import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** The path without links. If the path does not exist yet, only its existing part is resolved. */
export async function realPath(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(await realPath(parent), basename(absolute));
  }
}
