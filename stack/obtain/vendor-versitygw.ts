import { versions } from '../versions.ts';
import { fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { kept } from './kept.ts';

type Machine = { platform: string; arch: string };

const systems: Record<string, string> = { linux: 'Linux', darwin: 'Darwin' };
const architectures: Record<string, string> = { x64: 'x86_64', arm64: 'arm64' };

export function vendorVersitygw(slot: Slot): Strategy {
  return kept(slot, 'vendor download', async (folder, task) =>
    fromArchive(versitygwArchive(process), 'versitygw', folder, task),
  );
}

/** @throws {Error} for a machine there is no release for. */
export function versitygwArchive({ platform, arch }: Machine): string {
  const system = systems[platform];
  const architecture = architectures[arch];
  if (!system || !architecture) throw new Error(`there is no release for ${platform} on ${arch}`);
  const { release } = versions.versitygw;
  const file = `versitygw_${release}_${system}_${architecture}.tar.gz`;
  return `https://github.com/versity/versitygw/releases/download/${release}/${file}`;
}
