import type { DeliveryAttempt, DeliveryRecord } from '../domain/records.ts';

export type NewDelivery = Pick<
  DeliveryRecord,
  'id' | 'accountId' | 'jobId' | 'type' | 'target' | 'url' | 'cycle'
>;

/** The delivery log of webhooks. Rows expire 90 days after the event. */
export interface DeliveryStore {
  /**
   * Stores a new delivery; an existing one is not changed.
   * @returns the stored delivery
   */
  plan(delivery: NewDelivery): Promise<DeliveryRecord>;
  find(deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** Newest first. @param accountId null for all accounts; @throws NotFound for `filter.after` */
  list(accountId: string | null, limit: number, filter?: DeliveryFilter): Promise<DeliveryRecord[]>;
  /** Pending deliveries of events before `createdBefore`, ordered by id. */
  pending(createdBefore: Date, after: string, limit: number): Promise<DeliveryRecord[]>;
  /** When the oldest pending delivery was created; null if none is pending. */
  oldestPending(): Promise<Date | null>;
  /**
   * Starts a new cycle of attempts. Idempotent by the cycle.
   * @param after the cycle that it follows; does nothing if the delivery is pending or in another
   * cycle
   * @returns the delivery in its present cycle
   * @throws NotFound
   */
  reopen(deliveryId: string, cycle: string, after?: string): Promise<DeliveryRecord>;
  /** Removes ended test events of the account. The latest KEPT_TESTS stay. */
  dropOldTests(accountId: string): Promise<void>;
  /**
   * Records an attempt before its request, so that it is in the log even if the worker crashes.
   * @returns the delivery including this attempt; undefined if it is not pending or is in another
   * cycle
   */
  begin(
    deliveryId: string,
    cycle: string,
    attempt: { at: Date; url: string },
  ): Promise<DeliveryRecord | undefined>;
  /**
   * Records the outcome of the attempt that began at `attempt.at`. A delivery cancelled meanwhile
   * stays cancelled.
   */
  record(deliveryId: string, cycle: string, attempt: DeliveryAttempt, after: AfterAttempt): Promise<void>;
  /** Ends a pending delivery of this cycle without an attempt. Idempotent. */
  close(deliveryId: string, cycle: string, end: DeliveryEnd): Promise<void>;
}

export interface DeliveryFilter {
  state?: DeliveryRecord['state'] | undefined;
  /** Id of the last delivery of the page before. */
  after?: string | undefined;
  /** Only the delivery of this job. */
  jobId?: string | undefined;
  /** How many attempts to read of each, the latest ones; all by default. */
  attempts?: number;
}

export type DeliveryEnd = { state: 'failed' | 'cancelled'; reason: string };

/** State of a delivery after an attempt. */
export type AfterAttempt = { state: 'delivered' } | DeliveryEnd | { state: 'pending'; nextAttemptAt: Date };
