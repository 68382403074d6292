import { versions } from '../versions.ts';
import { fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { kept } from './kept.ts';

const system: Partial<Record<NodeJS.Platform, string>> = { linux: 'Linux', darwin: 'Darwin' };
const arch: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x86_64', arm64: 'arm64' };

export function vendorVersitygw(slot: Slot): Strategy {
  return kept(slot, 'vendor download', async (folder, task) => {
    const { release } = versions.versitygw;
    const file = `versitygw_${release}_${system[process.platform]}_${arch[process.arch]}.tar.gz`;
    const url = `https://github.com/versity/versitygw/releases/download/${release}/${file}`;
    return fromArchive(url, 'versitygw', folder, task);
  });
}
