import { LABELS, METRICS, type MetricDefinition } from '../../lib/telemetry/metrics/definitions.ts';

const HEAD = `# Metrics

Every process serves its metrics at \`/metrics\` of \`METRICS_PORT\`, on \`PROBE_HOST\`, in the text format of Prometheus.
Without the port it measures nothing. \`npm start\` chooses the ports and lists the URLs under \`metrics\` in
\`.stack/stack.json\`. [operations.md](operations.md#monitoring) has the alerts. \`npm run docs\` writes this page.

All pages have the metrics of Node (\`process_*\`, \`nodejs_*\`). The pages of worker and renderer also have the metrics of
Temporal's SDK (\`temporal_*\`). Gauges are read for each scrape, at most once a second. A gauge that cannot be read in time
is left out. The gauges of the queues, webhooks, removals, the ledger and the oldest job describe the whole service, so every
worker reports the same values. Use \`max\`, not \`sum\`.

Images, jobs, calls and their costs are counted once, after the write that records them has succeeded, in the process that
made the write. A count is lost when that process dies before the next scrape, or never gets the response to its write.
Commands of the operator are not counted. The ledger is the truth, and \`operator ledger audit\` checks it.
`;

/** docs/metrics.md, from the table of metrics. */
export function metricsMarkdown(): string {
  const metrics = Object.entries<MetricDefinition>(METRICS).map(([name, { type, labels, of, help }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    of.join(', '),
    help,
  ]);
  const labels = Object.entries(LABELS).map(([label, values]) => [`\`${label}\``, values]);
  return [
    HEAD,
    table(['metric', 'type', 'labels', 'processes', 'meaning'], metrics),
    '## Labels\n',
    'Every label takes its values from a closed set, so callers cannot add series.\n',
    table(['label', 'values'], labels),
  ].join('\n');
}

function table(columns: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `${[line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
