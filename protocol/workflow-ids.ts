/** Ids of the workflows that deliver a webhook outside its job's workflow. */
export const lostWebhookWorkflowId = (deliveryId: string) => `webhook:${deliveryId}`;
export const redeliveryWorkflowId = (deliveryId: string) => `redelivery:${deliveryId}`;
export const testEventWorkflowId = (deliveryId: string) => `test-event:${deliveryId}`;

export const webhookWorkflowIds = (deliveryId: string) => [
  lostWebhookWorkflowId(deliveryId),
  redeliveryWorkflowId(deliveryId),
  testEventWorkflowId(deliveryId),
];
