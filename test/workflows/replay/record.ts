import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { startServers } from '../../../dev/servers/start.ts';
import { environment, loadConfig } from '../../../lib/process/config/config.ts';
import { registerSearchAttributes } from '../../../operator/setup/register-search-attributes.ts';
import { writeWorkflowBundle } from '../../../worker/bundle.ts';
import { openService } from '../../setup/open-service.ts';
import { startReceiver } from '../../setup/receiver.ts';
import { PATHS } from './paths.ts';
import { scrub } from './scrub.ts';
import { openReplayStage, type Stage } from './stage.ts';

// Records the histories of the given paths, or of all: `npx tsx test/workflows/replay/record.ts
// [path ...]`. See docs/changing-workflows.md.

const folder = join(import.meta.dirname, '..', 'histories');
const say = (line: string) => void process.stderr.write(`${line}\n`);

async function record(stage: Stage, name: string): Promise<string> {
  const path = PATHS[name];
  if (path === undefined) throw new Error(`There is no path ${name}.`);
  const history = await stage.handle(await path(stage)).fetchHistory();
  say(`${name}: ${history.events?.length} events`);
  return scrub(historyToJSON(history));
}

await using receiver = await startReceiver();
await using servers = await startServers({
  dataDir: join(tmpdir(), 'image-job-api-record'),
  ephemeral: true,
  ui: false,
  say,
  signal: new AbortController().signal,
  env: environment(),
});
const bundle = servers.folder.file('workflow-bundle.cjs');
const config = loadConfig({
  ...servers.env,
  EGRESS_ALLOW_ORIGINS: receiver.origin,
  LOG_LEVEL: 'silent',
  WORKFLOW_BUNDLE: bundle,
});
await Promise.all([writeWorkflowBundle(bundle), registerSearchAttributes(config.temporal)]);
await using service = await openService(config);
await using stage = await openReplayStage(service, receiver);

const chosen = process.argv.slice(2);
const recorded = new Map<string, string>();
for (const name of chosen.length > 0 ? chosen : Object.keys(PATHS))
  recorded.set(name, await record(stage, name));

// Written at the end, so that a failed recording does not change any history.
if (chosen.length === 0) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, json] of recorded) writeFileSync(join(folder, `${name}.json`), json);
