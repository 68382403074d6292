import type { DeliveryRecord, JobRecord } from '../lib/domain/records.ts';
import type { Deps } from './deps.ts';
import { Failure } from './failure.ts';

/** A job of any account, deleted ones included. @throws Failure */
export async function findJob(deps: Deps, jobId: string): Promise<JobRecord> {
  const job = await deps.stores().jobs.get(jobId);
  if (job === undefined) throw new Failure(`There is no job ${jobId}.`);
  return job;
}

/** @throws Failure */
export async function findDelivery(deps: Deps, deliveryId: string): Promise<DeliveryRecord> {
  const delivery = await deps.stores().deliveries.find(deliveryId);
  if (delivery === undefined) throw new Failure(`There is no delivery ${deliveryId}.`);
  return delivery;
}
