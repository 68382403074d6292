import type { Client } from '@temporalio/client';
import { createEgress, type Egress } from '../lib/egress/egress.ts';
import type { Config } from '../lib/process/config/config.ts';
import { createResources } from '../lib/process/resources.ts';
import { openTemporal } from '../lib/process/temporal-client.ts';
import type { ImageStore } from '../lib/stores/image-store.ts';
import { type Mongo, openMongo } from '../lib/stores/mongo/client.ts';
import { createMongoStores } from '../lib/stores/mongo/stores.ts';
import { createImageStore } from '../lib/stores/s3/images.ts';
import type { Stores } from '../lib/stores/stores.ts';

/** Dependencies of the commands, opened on first use, so that `--help` needs no server. */
export interface Deps {
  config(): Config;
  mongo(): Mongo;
  stores(): Stores;
  images(): ImageStore;
  egress(): Egress;
  temporal(): Client;
}

/** Disposing closes the dependencies that were opened. */
export function openDeps(load: () => Config): Deps & AsyncDisposable {
  const opened = createResources();
  const config = once(load);
  const mongo = once(() => opened.use(openMongo(config().mongo)));
  const images = once(() => opened.use(createImageStore(config().s3)));
  const egress = once(() => opened.use(createEgress(config().egress)));
  const temporal = once(() => opened.use(openTemporal(config().temporal)));
  return {
    config,
    mongo,
    stores: () => createMongoStores(mongo()),
    images,
    egress,
    temporal: () => temporal().client,
    [Symbol.asyncDispose]: opened[Symbol.asyncDispose],
  };
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
