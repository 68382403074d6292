import type { Client } from '@temporalio/client';
import type { Config } from '../config.ts';
import { createEgress, type Egress } from '../egress/egress.ts';
import { createResources } from '../runtime/resources.ts';
import { openTemporal } from '../runtime/temporal-client.ts';
import type { ImageStore } from '../stores/image-store.ts';
import { type Mongo, openMongo } from '../stores/mongo/client.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import { createImageStore } from '../stores/s3/images.ts';
import type { Stores } from '../stores/stores.ts';

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
