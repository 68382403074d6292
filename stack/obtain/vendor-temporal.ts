import { versions } from '../versions.ts';
import { fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { kept } from './kept.ts';

type Machine = { platform: string; arch: string };

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

export function vendorTemporal(slot: Slot): Strategy {
  return kept(slot, 'vendor download', async (folder, task) =>
    fromArchive(temporalArchive(process), 'temporal', folder, task),
  );
}

export function temporalArchive({ platform, arch }: Machine): string {
  const query = `platform=${platform}&arch=${architectures[arch] ?? arch}`;
  return `https://temporal.download/cli/archive/${versions.temporal.release}?${query}`;
}
