import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import fastify, { LogController } from 'fastify';
import { apiDisabled } from '../lib/contract/api-errors.ts';
import type { ApiDeps } from './deps.ts';
import { registerDocs } from './docs/register.ts';
import { limitBody, registerBodies } from './http/bodies.ts';
import { authenticate, checkScope, limitHeaders, routableUrl } from './http/checks.ts';
import {
  CONNECTION_LIMITS,
  closeWithoutRequests,
  endSlowReaders,
  limitConnections,
} from './http/connections.ts';
import { registerErrors } from './http/error-handler.ts';
import { rejectOtherMethods } from './http/methods.ts';
import type { Route, TypedApp } from './http/operation.ts';
import { handleInTurn } from './http/pipelining.ts';
import { registerProbes } from './http/probes.ts';
import { removeRateLimitHeaders } from './http/rate-limit.ts';
import { countResponse, logResponse, requestId, traceRequests } from './http/request-telemetry.ts';
import { allowForStandstill } from './http/standstill.ts';
import { handleClientError, registerExpectations, SECURITY_HEADERS } from './http/wire.ts';
import { cancelJob } from './routes/cancel-job.ts';
import { createJob } from './routes/create-job.ts';
import { deleteJob } from './routes/delete-job.ts';
import { getAccount } from './routes/get-account.ts';
import { getJob } from './routes/get-job.ts';
import { getTool } from './routes/get-tool.ts';
import { getWebhookEndpoint } from './routes/get-webhook-endpoint.ts';
import { jobEvents } from './routes/job-events.ts';
import { listJobs } from './routes/list-jobs.ts';
import { listLedger } from './routes/list-ledger.ts';
import { listTools } from './routes/list-tools.ts';
import { listWebhookDeliveries } from './routes/list-webhook-deliveries.ts';
import { redeliverWebhook } from './routes/redeliver-webhook.ts';
import { rotateWebhookSecret } from './routes/rotate-webhook-secret.ts';
import { setWebhookEndpoint } from './routes/set-webhook-endpoint.ts';
import { testWebhookEndpoint } from './routes/test-webhook-endpoint.ts';

export const PREFIX = '/api';
/** More than a request line can hold, so that an id of any length gets `job_not_found`. */
const MAX_PARAM_LENGTH = 32_768;

/** Builds the HTTP API from its dependencies, without listening. */
export function buildApp(deps: ApiDeps): TypedApp {
  const { config, logger } = deps;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId(config.keyPrefix),
    trustProxy: trustProxy(config.api.trustProxy),
    return503OnClosing: false,
    ...CONNECTION_LIMITS,
    clientErrorHandler: handleClientError(config.api.publicUrl),
    rewriteUrl: routableUrl,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  registerErrors(app, config.api.publicUrl, deps.metrics);
  app.decorateRequest('caller');
  app.decorateRequest('jobBody');
  app.decorateRequest('hold');
  app.decorateRequest('compensations');
  app.decorateRequest('bodyLease');
  app.decorateRequest('jobId');
  app.decorateRequest('unlogged');
  app.decorateRequest('waits');
  registerBodies(app, deps.budgets);
  registerExpectations(app);
  handleInTurn(app.server);
  limitConnections(app.server, config.api.trustProxy === '');
  allowForStandstill(app.server);
  const closing = closeWithoutRequests(app.server);
  app.addHook('preClose', async () => {
    deps.budgets.close();
    deps.waiters.close();
    closing();
  });
  app.addHook('onSend', endSlowReaders());
  app.addHook('onResponse', logResponse);
  app.addHook('onResponse', countResponse(deps.metrics));
  const methodRejections = rejectOtherMethods(app);
  addChecks(app, deps);
  registerProbes(app, deps.readiness);
  registerDocs(app, {
    publicUrl: config.api.publicUrl,
    prefix: PREFIX,
    orders: config.generators.orders,
    limits: config.api,
  });
  app.register(
    async (scope) => {
      for (const route of routes) route(scope, deps);
    },
    { prefix: PREFIX },
  );
  app.register(methodRejections);
  return app;
}

/** Adds the checks that run before every handler, in the order the contract requires. */
function addChecks(app: TypedApp, deps: ApiDeps): void {
  const { apiSwitch, rateLimits, budgets, stores, config, tracing } = deps;
  app.addHook('onRequest', async (request, reply) => {
    // Caches do not treat X-Api-Key as a credential, so nothing may be cached. The /docs pages allow it again.
    reply.headers({ 'X-Request-Id': request.id, 'Cache-Control': 'no-store', ...SECURITY_HEADERS });
    const disabled = !apiSwitch.enabled() && !request.routeOptions.config.probe;
    // Counted while the API is switched off, too: a rejection is what ends a flood.
    await rateLimits.countClient(request, reply).catch((error: unknown) => {
      if (!disabled) throw error;
    });
    if (!disabled) return;
    removeRateLimitHeaders(reply);
    throw apiDisabled();
  });
  // Not earlier, so that a client over its limit cannot fill the queue of spans.
  if (tracing !== undefined) traceRequests(app, tracing);
  app.addHook('onRequest', limitHeaders);
  app.addHook('onRequest', limitBody(budgets));
  app.addHook('onRequest', authenticate(stores.keys, config.keyPrefix));
  app.addHook('onRequest', rateLimits.countKey);
  app.addHook('onRequest', checkScope);
}

/** TRUST_PROXY in Fastify's form: a hop count, a list of addresses, or false. */
function trustProxy(value: string): string | false | ((address: string, hop: number) => boolean) {
  if (value === '') return false;
  return /^\d+$/.test(value) ? (_address, hop) => hop < Number(value) : value;
}

/** Every operation of the API. */
export const routes: readonly Route[] = [
  createJob,
  listJobs,
  getJob,
  jobEvents,
  cancelJob,
  deleteJob,
  getAccount,
  listLedger,
  listTools,
  getTool,
  listWebhookDeliveries,
  redeliverWebhook,
  getWebhookEndpoint,
  setWebhookEndpoint,
  testWebhookEndpoint,
  rotateWebhookSecret,
];
