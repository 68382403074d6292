import { createImageTasks, type ImageTaskSettings } from '../lib/generators/tasks.ts';
import { configureLibvips } from '../lib/imaging/libvips.ts';
import { serveTasks } from '../lib/imaging/processes/serve.ts';

// The renderer's child process that decodes, edits and encodes pixels.
configureLibvips();
const [, , settings = ''] = process.argv;
serveTasks(createImageTasks(JSON.parse(settings) as ImageTaskSettings));
