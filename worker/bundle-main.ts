import { runMain } from '../runtime/run-main.ts';
import { writeWorkflowBundle } from './bundle.ts';

await runMain(() => writeWorkflowBundle('dist/workflow-bundle.cjs'));
