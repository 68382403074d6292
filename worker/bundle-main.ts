import { runMain } from '../lib/process/run-main.ts';
import { writeWorkflowBundle } from './bundle.ts';

const path = 'dist/workflow-bundle.cjs';

await runMain(async () => {
  await writeWorkflowBundle(path);
  await writeWorkflowBundle(path, { traced: true });
});
