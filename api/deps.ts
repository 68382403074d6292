import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Egress } from '../egress/egress.ts';
import type { ImageStore } from '../stores/images.ts';
import type { Stores } from '../stores/ports.ts';
import type { ApiSwitch } from './api-switch.ts';
import type { Budgets } from './budgets.ts';
import type { JobGateway } from './job-gateway.ts';
import type { RateLimits } from './plugins/rate-limit.ts';

/** Everything the API is built from; tests pass other parts of the same shape. */
export interface ApiDeps {
  config: Config;
  stores: Stores;
  images: ImageStore;
  egress: Egress;
  jobs: JobGateway;
  apiSwitch: ApiSwitch;
  rateLimits: RateLimits;
  budgets: Budgets;
  logger: FastifyBaseLogger;
}
