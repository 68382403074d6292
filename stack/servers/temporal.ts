import { Connection } from '@temporalio/client';
import type { Child } from '../run/child.ts';
import { type Surroundings, startChild } from './part.ts';

type Started = { child: Child; address: string; ui: string | undefined };

/** Starts Temporal's development server; its state is one SQLite file, so it survives a restart. */
export async function startTemporal(binary: string, ui: boolean, around: Surroundings): Promise<Started> {
  const port = await around.ports.choose('temporal');
  const uiPort = ui ? await around.ports.choose('temporal-ui') : undefined;
  const address = `127.0.0.1:${port}`;
  const child = await startChild(
    {
      name: 'temporal',
      command: binary,
      args: [
        ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'warn'],
        ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
        ...['--db-filename', around.folder.file('temporal.sqlite')],
        ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
        // One account's many jobs must not hold up everybody else's.
        ...['--dynamic-config-value', 'matching.useNewMatcher=true'],
        ...['--dynamic-config-value', 'matching.enableFairness=true'],
        // A history is deleted only once the queues have noted that its end was worked off; by default every 30 s.
        ...['--dynamic-config-value', 'history.transferProcessorUpdateAckInterval="1s"'],
        ...['--dynamic-config-value', 'history.visibilityProcessorUpdateAckInterval="1s"'],
      ],
      env: around.env,
      probe: () => canServe(address),
      readyWithinMs: 60_000,
      graceMs: 10_000,
    },
    around,
  );
  return { child, address, ui: uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}` };
}

/** The namespace is made after the port opens, so a bare connection would be too early. */
async function canServe(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    const deadline = Date.now() + 2_000;
    await connection.withDeadline(deadline, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    );
  } finally {
    await connection.close();
  }
}
