export { jobWorkflow } from './job.ts';
export { deliveryWorkflow, redeliveryWorkflow, testEventWorkflow } from './redelivery.ts';
export { sweepWorkflow } from './sweep.ts';
