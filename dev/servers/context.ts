import { Child, type ChildSpec } from '../process/child.ts';
import type { DataFolder } from '../process/data-folder.ts';
import type { Ports } from '../process/tcp-ports.ts';

/** What every server and process is started with. */
export type ServerContext = {
  folder: DataFolder;
  ports: Ports;
  env: NodeJS.ProcessEnv;
  say: (line: string) => void;
  signal: AbortSignal;
  /** Whether the project's own processes restart when their sources change. */
  watch?: boolean;
};

/** Starts a child that logs to `logs/<name>.log` in the data folder. */
export async function startChild(spec: ChildSpec, { folder, say, signal }: ServerContext): Promise<Child> {
  const logFile = folder.file('logs', `${spec.name}.log`);
  const child = new Child(spec, { logFile, pidFolder: folder.pids, say, signal });
  await child.start();
  return child;
}
