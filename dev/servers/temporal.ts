import { Connection } from '@temporalio/client';
import type { Child } from '../process/child.ts';
import { type ServerContext, startChild } from './context.ts';

type Started = { child: Child; address: string; ui: string | undefined };

/** Starts Temporal's development server; its state is one SQLite file, so it survives a restart. */
export async function startTemporal(binary: string, ui: boolean, context: ServerContext): Promise<Started> {
  const port = await context.ports.choose('temporal');
  const uiPort = ui ? await context.ports.choose('temporal-ui') : undefined;
  const address = `127.0.0.1:${port}`;
  const child = await startChild(
    {
      name: 'temporal',
      command: binary,
      args: [
        ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'warn'],
        ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
        ...['--db-filename', context.folder.file('temporal.sqlite')],
        ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
        // Fair queues: many jobs of one account must not delay the jobs of others.
        ...['--dynamic-config-value', 'matching.useNewMatcher=true'],
        ...['--dynamic-config-value', 'matching.enableFairness=true'],
        // A history can be deleted once the queues have acknowledged its end; the default interval
        // is 30 s.
        ...['--dynamic-config-value', 'history.transferProcessorUpdateAckInterval="1s"'],
        ...['--dynamic-config-value', 'history.visibilityProcessorUpdateAckInterval="1s"'],
      ],
      env: context.env,
      probe: () => canServe(address),
      readyWithinMs: 60_000,
      graceMs: 10_000,
    },
    context,
  );
  return { child, address, ui: uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}` };
}

/** Checks the namespace: it is created after the port has opened. */
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
