import type { ImageTasks } from '../lib/generators/tasks.ts';
import { gauge, type Metrics } from '../lib/telemetry/metrics/metrics.ts';

/** Every scrape says how busy the image processes are, and what waits for them. */
export function sampleImageTasks(metrics: Metrics, imageTasks: Pick<ImageTasks, 'usage'>): void {
  metrics.sample(() => {
    const { busyProcesses, waitingForProcess, waitingForMemory, memoryBytes } = imageTasks.usage();
    return [
      gauge('imagejob_image_processes_busy', {}, busyProcesses),
      gauge('imagejob_image_tasks_waiting', { resource: 'process' }, waitingForProcess),
      gauge('imagejob_image_tasks_waiting', { resource: 'memory' }, waitingForMemory),
      gauge('imagejob_image_memory_bytes', {}, memoryBytes),
    ];
  });
}
