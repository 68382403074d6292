export { jobWorkflow } from './job.ts';
export { redeliveryWorkflow, testEventWorkflow } from './redelivery.ts';
export { sweepWorkflow } from './sweep.ts';
