import { setPriority } from 'node:os';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { createRenderingActivities } from '../activities/rendering.ts';
import { environment, loadConfig } from '../config.ts';
import { createGenerator } from '../generators/registry.ts';
import { createLogger, shutdownSignal } from '../runtime.ts';
import { openMongo } from '../stores/mongo/client.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import { createImageStore } from '../stores/s3/images.ts';
import { connectionOptions } from '../temporal.ts';
import { CLOSING_MS, createRenderer, runWorkers } from './create-workers.ts';
import { openImageTasks } from './image-tasks.ts';
import { temporalLogger } from './temporal-logger.ts';

/** Work on images gives way to the API and the worker where they share a machine; the child processes inherit it. */
const PRIORITY = 10;

const config = loadConfig(environment());
const signal = shutdownSignal(config.worker.shutdownGraceMs + CLOSING_MS);
const logger = createLogger(config.log, 'renderer');
Runtime.install({ logger: temporalLogger(logger), shutdownSignals: [] });
setPriority(PRIORITY);

const generator = createGenerator(config.generators);
await using mongo = openMongo(config.mongo);
await using images = createImageStore(config.s3);
await using imageTasks = await openImageTasks(config.worker);
const connection = await NativeConnection.connect(connectionOptions(config.temporal));
await using _connection = { [Symbol.asyncDispose]: () => connection.close() };
const stores = createMongoStores(mongo);
const activities = createRenderingActivities({ stores, images, generator, imageTasks });
const renderer = await createRenderer({ config, connection, activities });
logger.info({ generators: config.generators }, 'The renderer is ready.');
await runWorkers([renderer], signal);
logger.info('The renderer has stopped.');
