import { Child, type ChildSpec } from '../run/child.ts';
import type { DataFolder } from '../run/data-folder.ts';
import type { Ports } from '../run/ports.ts';

/** What every server is started with. */
export type Surroundings = {
  folder: DataFolder;
  ports: Ports;
  env: NodeJS.ProcessEnv;
  say: (line: string) => void;
  signal: AbortSignal;
};

/** Starts a child that logs to `logs/<name>.log` of the data folder. */
export async function startChild(spec: ChildSpec, { folder, say, signal }: Surroundings): Promise<Child> {
  const logFile = folder.file('logs', `${spec.name}.log`);
  const child = new Child(spec, { logFile, pidFolder: folder.pids, say, signal });
  await child.start();
  return child;
}
