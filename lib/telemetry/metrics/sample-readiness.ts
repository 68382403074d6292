import type { Readiness } from '../../process/readiness.ts';
import { gauge, type Metrics } from './metrics.ts';

/** Every scrape says which dependencies can be used. */
export function sampleReadiness(metrics: Metrics, readiness: Readiness): void {
  metrics.sample(async () => {
    const { dependencies } = await readiness.report();
    return Object.entries(dependencies).map(([dependency, state]) =>
      gauge('imagejob_dependency_up', { dependency }, state === 'ok' ? 1 : 0),
    );
  });
}
