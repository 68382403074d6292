import {
  defaultPayloadConverter,
  type WorkflowExecuteInput,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { logFieldsOf } from '../lib/protocol/log-fields.ts';

/** The header in which Temporal's interceptors carry a trace. */
const TRACE_HEADER = '_tracer-data';

/**
 * Adds the ids of job, account and trace to the log entries of a workflow. Part of the bundle, like
 * all interceptors.
 */
export function interceptors(): WorkflowInterceptors {
  let fields: Readonly<Record<string, string>> = {};
  return {
    inbound: [
      {
        // Not async: another microtask could change the order of commands.
        execute(input, next) {
          fields = { ...logFieldsOf(input.args), ...traceOf(input) };
          return next(input);
        },
      },
    ],
    outbound: [{ getLogAttributes: (input, next) => next({ ...input, ...fields }) }],
  };
}

function traceOf({ headers }: WorkflowExecuteInput): { trace_id?: string } {
  const header = headers[TRACE_HEADER];
  if (header === undefined) return {};
  const { traceparent = '' } = defaultPayloadConverter.fromPayload<{ traceparent?: string }>(header);
  const [, trace_id = ''] = traceparent.split('-');
  return { trace_id };
}
