import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's cache folder for this project: below XDG_CACHE_HOME, else where the platform has caches. */
export function cacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const home = env.HOME || homedir();
  const usual = platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  return join(env.XDG_CACHE_HOME || usual, 'image-job-api');
}

/** The place of one version of a server in the cache. `folder` is complete or does not exist. */
export type Slot = { name: string; folder: string; binary: string };

export function slot(cache: string, name: string, version: string): Slot {
  const folder = join(cache, `${name}-${version}`);
  return { name, folder, binary: join(folder, name) };
}
