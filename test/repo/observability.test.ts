import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { metricsMarkdown } from '../../dev/docs/metrics.ts';
import { LABELS, METRICS, type MetricDefinition } from '../../lib/telemetry/metrics/definitions.ts';

const Rules = Type.Object({
  groups: Type.Array(
    Type.Object({ rules: Type.Array(Type.Object({ alert: Type.String(), expr: Type.String() })) }),
  ),
});
const Dashboard = Type.Object({
  panels: Type.Array(
    Type.Object({
      id: Type.Integer(),
      title: Type.String({ minLength: 1 }),
      targets: Type.Optional(Type.Array(Type.Object({ expr: Type.String({ minLength: 1 }) }))),
    }),
  ),
});
const read = (file: string) => readFileSync(file, 'utf8');
const rules = Value.Parse(Rules, parse(read('deploy/observability/alerts.yml'))).groups.flatMap(
  (group) => group.rules,
);
const { panels } = Value.Parse(Dashboard, JSON.parse(read('deploy/observability/dashboard.json')));
const guide = read('docs/operations.md');

const ourNames = (text: string) => [
  ...new Set(
    (text.match(/imagejob_[a-z0-9_]+/g) ?? []).map((name) => name.replace(/_(bucket|count|sum)$/, '')),
  ),
];

describe('the alerts', () => {
  test.each(rules.map(({ alert }) => alert))('%s has a paragraph that says what to do', (alert) => {
    const [, paragraph = ''] = new RegExp(`^\\*\\*${alert}\\*\\* ([^]+?)\n\n`, 'm').exec(guide) ?? [];
    expect(paragraph.length).toBeGreaterThan(80);
  });

  test('are all that the guide explains', () => {
    const [, section = ''] = guide.split('## Monitoring');
    const explained = [...section.matchAll(/^\*\*(\w+)\*\* /gm)].map(([, name]) => name);
    expect(explained).toEqual(rules.map(({ alert }) => alert));
  });

  test.each(rules.map(({ alert }) => alert))('%s is tested by rules that promtool runs', (alert) => {
    const tests = read('deploy/observability/alerts.test.yml');
    expect(tests.match(new RegExp(`alertname: ${alert}\n\\s+exp_alerts:`))).not.toBeNull();
    expect(tests).toContain(`alertname: ${alert} }`);
  });

  test('and the dashboard name only metrics that there are', () => {
    const used = [...rules, ...panels.flatMap(({ targets = [] }) => targets)].flatMap(({ expr }) =>
      ourNames(expr),
    );
    expect([...new Set(used)].filter((name) => !(name in METRICS))).toEqual([]);
  });
});

describe('the dashboard', () => {
  test('shows every metric', () => {
    const shown = ourNames(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(' '));
    expect(Object.keys(METRICS).filter((name) => !shown.includes(name))).toEqual([]);
  });

  test('has panels with ids and titles of their own', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

describe('docs/metrics.md', () => {
  test('is what `npm run docs` writes', () => {
    expect(read('docs/metrics.md')).toBe(metricsMarkdown());
  });

  test('has the values of every label, and of no other', () => {
    const used = Object.values<MetricDefinition>(METRICS).flatMap(({ labels }) => labels);
    expect(Object.keys(LABELS).sort()).toEqual([...new Set(used)].sort());
  });
});
