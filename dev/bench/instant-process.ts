import { createImageTasks, type ImageTaskSettings } from '../../lib/generators/tasks.ts';
import { configureLibvips } from '../../lib/imaging/libvips.ts';
import { serveTasks } from '../../lib/imaging/processes/serve.ts';
import { renderInstantly } from './instant.ts';

// An image process like worker/image-process.ts, in which the built-in generator only resizes.

const settings = JSON.parse(process.argv[2] ?? '') as ImageTaskSettings;
const tasks: ReturnType<typeof createImageTasks> = {
  ...createImageTasks(settings),
  renderLocally: ({ request }) =>
    renderInstantly({ ...request, watermark: request.watermark ? settings.watermarkText : null }),
};
configureLibvips();
serveTasks(tasks);
