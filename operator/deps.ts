import type { Client } from '@temporalio/client';
import type { Config } from '../config.ts';
import { createEgress, type Egress } from '../egress/egress.ts';
import { openTemporal } from '../runtime/temporal.ts';
import { type Mongo, openMongo } from '../stores/mongo/client.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import type { Stores } from '../stores/ports.ts';

/** Dependencies of the commands, opened on first use, so that `--help` needs no server. */
export interface Deps {
  config(): Config;
  mongo(): Mongo;
  stores(): Stores;
  egress(): Egress;
  temporal(): Client;
}

/** Disposing closes the dependencies that were opened. */
export function openDeps(load: () => Config): Deps & AsyncDisposable {
  let loaded: Config | undefined;
  const config = () => {
    loaded ??= load();
    return loaded;
  };
  const mongo = onFirstUse(() => openMongo(config().mongo));
  const egress = onFirstUse(() => createEgress({ allowOrigins: config().egress.allowOrigins }));
  const temporal = onFirstUse(() => openTemporal(config().temporal));
  return {
    config,
    mongo: mongo.use,
    stores: () => createMongoStores(mongo.use()),
    egress: egress.use,
    temporal: () => temporal.use().client,
    async [Symbol.asyncDispose]() {
      await Promise.all([mongo.close(), egress.close(), temporal.close()]);
    },
  };
}

function onFirstUse<T extends AsyncDisposable>(open: () => T) {
  let resource: T | undefined;
  return {
    use: () => {
      resource ??= open();
      return resource;
    },
    close: async () => resource?.[Symbol.asyncDispose](),
  };
}
