import { writeWorkflowBundle } from './bundle.ts';

await writeWorkflowBundle('dist/workflow-bundle.cjs');
