import { versions } from '../versions.ts';
import { fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { kept } from './kept.ts';

const arch: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

export function vendorTemporal(slot: Slot): Strategy {
  return kept(slot, 'vendor download', async (folder, task) => {
    const query = `platform=${process.platform}&arch=${arch[process.arch] ?? process.arch}`;
    const url = `https://temporal.download/cli/archive/${versions.temporal.release}?${query}`;
    return fromArchive(url, 'temporal', folder, task);
  });
}
