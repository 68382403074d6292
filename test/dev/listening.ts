import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** TCP addresses that a process group listens on, from /proc: IPv4 such as `127.0.0.1`, IPv6 as 32 hex digits. */
export function listeningAddresses(group: number): string[] {
  const inodes = new Set(membersOf(group).flatMap(socketsOf));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${group}/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTENING && inodes.has(inode ?? ''))
      .map(([, local = '']) => addressOf(local.split(':')[0] ?? '')),
  );
}

function membersOf(group: number): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && groupOf(pid) === group);
}

function groupOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  } catch {
    return undefined;
  }
}

function socketsOf(pid: string): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

/** The kernel writes an IPv4 address as one little-endian number in hexadecimal. */
function addressOf(hex: string): string {
  return hex.length === 8 ? [...Buffer.from(hex, 'hex')].reverse().join('.') : hex;
}
