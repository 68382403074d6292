/** Id of the workflow of a job without an idempotency key. */
export const jobWorkflowId = (jobId: string) => `job:${jobId}`;
/**
 * Id of the workflow of an idempotency key.
 * @param digest of the Idempotency-Key, which may hold any character
 */
export const keyWorkflowId = (keyId: string, digest: string) => `job:${keyId}:${digest}`;

/**
 * Ids of scheduled workflows. A confirmed run has another id, so it never joins a run that is not
 * confirmed.
 * @param prefix of the task queues
 */
export const retentionWorkflowId = (prefix: string, confirmed = false) =>
  `${prefix}retention${confirmed ? '-confirmed' : ''}`;
export const reconcileWorkflowId = (prefix: string, confirmed = false) =>
  `${prefix}reconcile${confirmed ? '-confirmed' : ''}`;

/** Ids of the workflows that deliver a webhook outside its job's workflow. */
export const lostWebhookWorkflowId = (deliveryId: string) => `webhook:${deliveryId}`;
export const redeliveryWorkflowId = (deliveryId: string) => `redelivery:${deliveryId}`;
export const testEventWorkflowId = (deliveryId: string) => `test-event:${deliveryId}`;

export const webhookWorkflowIds = (deliveryId: string) => [
  lostWebhookWorkflowId(deliveryId),
  redeliveryWorkflowId(deliveryId),
  testEventWorkflowId(deliveryId),
];
