/** Ids of the workflows that see to a webhook in place of its job's. */
export const lostWebhookWorkflowId = (deliveryId: string) => `webhook:${deliveryId}`;
export const redeliveryWorkflowId = (deliveryId: string) => `redelivery:${deliveryId}`;
export const testEventWorkflowId = (deliveryId: string) => `test-event:${deliveryId}`;

export const webhookWorkflowIds = (deliveryId: string) => [
  lostWebhookWorkflowId(deliveryId),
  redeliveryWorkflowId(deliveryId),
  testEventWorkflowId(deliveryId),
];
