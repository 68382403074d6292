import type { FastifyBaseLogger } from 'fastify';
import type { Egress } from '../lib/egress/egress.ts';
import type { Config } from '../lib/process/config/config.ts';
import type { Readiness } from '../lib/process/readiness.ts';
import type { ImageStore } from '../lib/stores/image-store.ts';
import type { Stores } from '../lib/stores/stores.ts';
import type { Metrics } from '../lib/telemetry/metrics/metrics.ts';
import type { Tracing } from '../lib/telemetry/tracing/tracing.ts';
import type { ApiLimits } from './admission/limits.ts';
import type { ApiSwitch, ToolSwitch } from './api-switch.ts';
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
  limits: ApiLimits;
  waiters: Waiters;
  usualTimes: UsualTimes;
  readiness: Readiness;
  metrics: Metrics;
  logger: FastifyBaseLogger;
  /** Undefined where no traces are configured. */
  tracing: Tracing | undefined;
}
