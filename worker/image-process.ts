import { createImageTasks, type ImageTaskSettings } from '../generators/tasks.ts';
import { configureLibvips } from '../imaging/libvips.ts';
import { serveTasks } from '../imaging/processes/serve.ts';

// The renderer's child process that decodes, edits and encodes pixels.
configureLibvips();
const [, , settings = ''] = process.argv;
serveTasks(createImageTasks(JSON.parse(settings) as ImageTaskSettings));
