import { createRenderingActivities, type RenderDeps } from '../activities/jobs/rendering.ts';
import type { Config } from '../config.ts';
import { createGenerators } from '../generators/registry.ts';
import { withResources } from '../runtime/resources.ts';
import { openMongo } from '../stores/mongo/client.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import { createImageStore } from '../stores/s3/images.ts';
import { createRenderer, openConnection, type Workers } from './create-workers.ts';
import { openImageTasks } from './image-tasks.ts';

/** Like `openWorker`, for a renderer. */
export function openRenderer(config: Config, overrides: Partial<RenderDeps> = {}): Promise<Workers> {
  return withResources(async (keep) => {
    const activities = createRenderingActivities({
      ...overrides,
      limits: { slots: config.worker.renderSlots, images: config.worker.imagesInMemory },
      generators: overrides.generators ?? keep(createGenerators(config.generators)),
      stores: overrides.stores ?? createMongoStores(keep(openMongo(config.mongo))),
      images: overrides.images ?? keep(createImageStore(config.s3)),
      imageTasks: overrides.imageTasks ?? keep(await openImageTasks(config.worker)),
    });
    const { connection } = keep(await openConnection(config.temporal));
    const renderer = keep(await createRenderer({ config, connection, activities }));
    return { run: renderer.run };
  });
}
