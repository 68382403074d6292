import { type Attributes, trace } from '@opentelemetry/api';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Activities } from '../activities/activities.ts';
import { type LogField, type LogFields, logFieldsOf } from '../lib/protocol/log-fields.ts';
import { ATTRIBUTES } from '../lib/telemetry/tracing/attributes.ts';

/** What the first argument is, if it is a string. */
const FIRST_ARGUMENT: Readonly<Partial<Record<string, LogField>>> = {
  completeJob: 'jobId',
  failJob: 'jobId',
  enforceJobLimit: 'accountId',
  reopenDelivery: 'deliveryId',
  openTestDelivery: 'deliveryId',
  closeDelivery: 'deliveryId',
} satisfies Partial<Record<keyof Activities, LogField>>;

/**
 * Adds the ids of job, account and trace to the log entries of an activity, and the ids of job and
 * account to its span. The SDK logs a failure outside of the activity's asynchronous context, so
 * the fields are kept from its start.
 */
export const activityContext: ActivityInterceptorsFactory = ({ info }) => {
  let fields: Readonly<Record<string, string>> = {};
  return {
    inbound: {
      execute(input, next) {
        const ids = idsOf(info.activityType, input.args);
        const span = trace.getActiveSpan();
        span?.setAttributes({ ...toAttributes(ids), [ATTRIBUTES.attempt]: info.attempt });
        fields = span === undefined ? ids : { ...ids, trace_id: span.spanContext().traceId };
        return next(input);
      },
    },
    outbound: { getLogAttributes: (input, next) => next({ ...input, ...fields }) },
  };
};

function idsOf(activityType: string, args: readonly unknown[]): LogFields {
  const name = FIRST_ARGUMENT[activityType];
  const [first] = args;
  return name !== undefined && typeof first === 'string' ? { [name]: first } : logFieldsOf(args);
}

const toAttributes = (ids: LogFields): Attributes =>
  Object.fromEntries(Object.entries(ids).map(([name, id]) => [ATTRIBUTES[name as LogField], id]));
