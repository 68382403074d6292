import type { Readiness } from '../../process/readiness.ts';
import type { METRICS, MetricDefinition } from './definitions.ts';

export type MetricName = keyof typeof METRICS;
type NameOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** A value for each label of the metric. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]['labels'][number], string>
>;

/** One value of a gauge. */
export interface GaugeSample {
  name: NameOf<'gauge'>;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Where a part of a process reports what it does. Never throws. */
export interface Metrics {
  /** Adds to a counter. */
  add<Name extends NameOf<'counter'>>(name: Name, labels: LabelsOf<Name>, amount?: number): void;
  /** Adds a value to a histogram. */
  observe<Name extends NameOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Has gauges read for each scrape. A gauge that cannot be read in time is left out. */
  sample(read: () => readonly GaugeSample[] | Promise<readonly GaugeSample[]>): void;
}

/** A typed {@link GaugeSample}. */
export const gauge = <Name extends NameOf<'gauge'>>(
  name: Name,
  labels: LabelsOf<Name>,
  value: number,
): GaugeSample => ({ name, labels, value });

/** Has read for each scrape what is held of each limit, and how many requests wait for it. */
export function sampleLimits(
  metrics: Metrics,
  limits: Readonly<Record<string, { readonly held: number; readonly waiting: number }>>,
): void {
  metrics.sample(() =>
    Object.entries(limits).flatMap(([limit, { held, waiting }]) => [
      gauge('imagejob_limit_held', { limit }, held),
      gauge('imagejob_limit_waiting', { limit }, waiting),
    ]),
  );
}

/** Has read for each scrape which dependencies can be used. */
export function sampleReadiness(metrics: Metrics, readiness: Pick<Readiness, 'report'>): void {
  metrics.sample(async () => {
    const { dependencies } = await readiness.report();
    return Object.entries(dependencies).map(([dependency, state]) =>
      gauge('imagejob_dependency_up', { dependency }, state === 'ok' ? 1 : 0),
    );
  });
}

/** For a process whose metrics nobody reads. */
export const NO_METRICS: Metrics = { add: () => {}, observe: () => {}, sample: () => {} };
