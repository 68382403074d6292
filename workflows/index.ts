export { jobWorkflow } from './job.ts';
