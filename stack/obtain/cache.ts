import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's cache folder for this project: XDG_CACHE_HOME, else what the platform uses. */
export function cacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const home = env.HOME || homedir();
  const usual = platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  return join(env.XDG_CACHE_HOME || usual, 'image-job-api');
}

/** Where one version of one server is kept. `folder` appears as a whole or not at all. */
export type Slot = { name: string; folder: string; binary: string };

export function slot(cache: string, name: string, version: string): Slot {
  const folder = join(cache, `${name}-${version}`);
  return { name, folder, binary: join(folder, name) };
}
