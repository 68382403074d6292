export { jobWorkflow } from './job.ts';
export { sweepWorkflow } from './sweep.ts';
