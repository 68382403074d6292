import { expect, test } from 'vitest';
import { deliveryIdOf } from '../../../lib/domain/delivery.ts';
import { lostWebhookWorkflowId } from '../../../lib/protocol/workflow-ids.ts';
import { openReconcileStage } from './stage.ts';

/** Jobs that have ended, whose webhooks are pending. */
async function openWithPending(count: number) {
  const stage = await openReconcileStage();
  const jobIds = await stage.createJobs('completed', count);
  for (const jobId of jobIds) {
    const delivery = { id: deliveryIdOf(jobId), jobId, type: 'job.completed', target: 'account' } as const;
    await stage.stores.deliveries.plan({
      ...delivery,
      ...stage.client,
      url: 'https://a.example/',
      cycle: 'first',
    });
  }
  return { ...stage, jobIds };
}

test('a webhook whose workflow cannot be checked does not stop the others', async () => {
  const { activities, broken, workflowIdOf, problemsOf, jobIds } = await openWithPending(3);
  const [stuck = ''] = jobIds;
  broken.add(workflowIdOf(stuck));
  const { webhooks, problems, counts } = await activities.resumeLostWebhooks('');
  expect(webhooks.map(({ jobId }) => jobId).sort()).toEqual(jobIds.slice(1).sort());
  expect(problems).toEqual(problemsOf(deliveryIdOf(stuck)));
  expect(counts).toEqual({ webhooksResumed: 2, failed: 1 });
});

test('a webhook that the workflow of its job, or one of its own, is delivering is left alone', async () => {
  const { activities, states, workflowIdOf, jobIds } = await openWithPending(3);
  const [ofJob = '', ofItsOwn = '', lost] = jobIds;
  states.set(workflowIdOf(ofJob), 'open');
  states.set(workflowIdOf(ofItsOwn), 'closed');
  states.set(lostWebhookWorkflowId(deliveryIdOf(ofItsOwn)), 'open');
  const { webhooks } = await activities.resumeLostWebhooks('');
  expect(webhooks.map(({ jobId }) => jobId)).toEqual([lost]);
});
