export { jobWorkflow } from './job.ts';
export { reconcileWorkflow } from './reconcile.ts';
export { deliveryWorkflow, redeliveryWorkflow, testEventWorkflow } from './redelivery.ts';
export { retentionWorkflow } from './retention.ts';
