import type { JobDraft, JobRecord } from '../../domain/records.ts';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';

/**
 * Counts what transactions have committed, each once. A commit whose response is lost, or a process that dies before it
 * counts, is missing here: the ledger is the truth.
 */
export function countJobs(metrics: Metrics) {
  return {
    onCharged(drafts: readonly JobDraft[]): void {
      const images = drafts.reduce((sum, { imagesCharged }) => sum + imagesCharged, 0);
      metrics.add('imagejob_images_charged_total', {}, images);
    },

    onEnded({ tool, status, generator = 'none', imagesCharged, processingMs }: JobRecord): void {
      metrics.add('imagejob_jobs_total', { tool, generator, end: status });
      if (status === 'failed')
        metrics.add('imagejob_images_refunded_total', { cause: 'failed' }, imagesCharged);
      else metrics.observe('imagejob_render_seconds', { generator }, (processingMs ?? 0) / 1000);
    },

    onReversed: (images: number): void =>
      metrics.add('imagejob_images_refunded_total', { cause: 'voided' }, images),
  };
}
