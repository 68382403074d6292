/** Ids that log entries and spans of workflows and activities have. */
const FIELDS = ['jobId', 'accountId', 'deliveryId', 'tool'] as const;

export type LogField = (typeof FIELDS)[number];
export type LogFields = Readonly<Partial<Record<LogField, string>>>;

/** The ids in the first argument of a workflow or an activity, or in its `draft`. */
export function logFieldsOf([input]: readonly unknown[]): LogFields {
  if (!isRecord(input)) return {};
  const found = isRecord(input.draft) ? input.draft : input;
  return Object.fromEntries(
    FIELDS.flatMap((name) => (typeof found[name] === 'string' ? [[name, found[name]]] : [])),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
