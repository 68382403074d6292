import { imageTasks } from '../generators/tasks.ts';
import { configureLibvips } from '../imaging/libvips.ts';
import { serveTasks } from '../imaging/processes/serve.ts';

// The child process of a renderer in which pixels are decoded, edited and encoded.
configureLibvips();
serveTasks(imageTasks);
