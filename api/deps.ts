import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Egress } from '../egress/egress.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from '../runtime/readiness.ts';
import type { ImageStore } from '../stores/image-store.ts';
import type { Stores } from '../stores/stores.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { ApiSwitch, ToolSwitch } from './api-switch.ts';
import type { Budgets } from './budgets/budgets.ts';
import type { RateLimits } from './http/rate-limit.ts';
import type { JobGateway } from './jobs/gateway.ts';
import type { Voids } from './jobs/voids.ts';
import type { UsualTimes } from './waiting/usual-times.ts';
import type { Waiters } from './waiting/waiters.ts';
import type { WebhookGateway } from './webhooks/gateway.ts';

/** Dependencies of the API. Tests pass fakes of the same shape. */
export interface ApiDeps {
  config: Config;
  stores: Stores;
  images: ImageStore;
  egress: Egress;
  jobGateway: JobGateway;
  webhookGateway: WebhookGateway;
  voids: Voids;
  apiSwitch: ApiSwitch;
  toolSwitch: ToolSwitch;
  rateLimits: RateLimits;
  budgets: Budgets;
  waiters: Waiters;
  usualTimes: UsualTimes;
  readiness: Readiness;
  metrics: Metrics;
  logger: FastifyBaseLogger;
  /** Undefined where no traces are configured. */
  tracing: Tracing | undefined;
}
