import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import fastify, { LogController } from 'fastify';
import type { ApiDeps } from './deps.ts';
import { registerDocs } from './docs/register.ts';
import { registerBodies } from './http/bodies.ts';
import { addChecks, routableUrl } from './http/checks.ts';
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
import { countResponse, logResponse, requestId } from './http/request-telemetry.ts';
import { allowForStandstill } from './http/standstill.ts';
import { handleClientError, registerExpectations } from './http/wire.ts';
import { cancelJobRoute } from './routes/cancel-job.ts';
import { createJobRoute } from './routes/create-job.ts';
import { deleteJobRoute } from './routes/delete-job.ts';
import { getAccountRoute } from './routes/get-account.ts';
import { getJobRoute } from './routes/get-job.ts';
import { getToolRoute } from './routes/get-tool.ts';
import { getWebhookEndpointRoute } from './routes/get-webhook-endpoint.ts';
import { jobEventsRoute } from './routes/job-events.ts';
import { listJobsRoute } from './routes/list-jobs.ts';
import { listLedgerRoute } from './routes/list-ledger.ts';
import { listToolsRoute } from './routes/list-tools.ts';
import { listWebhookDeliveriesRoute } from './routes/list-webhook-deliveries.ts';
import { redeliverWebhookRoute } from './routes/redeliver-webhook.ts';
import { rotateWebhookSecretRoute } from './routes/rotate-webhook-secret.ts';
import { setWebhookEndpointRoute } from './routes/set-webhook-endpoint.ts';
import { testWebhookEndpointRoute } from './routes/test-webhook-endpoint.ts';

export const PREFIX = '/api';
/** More than a request line can hold, so that an id of any length gets `job_not_found`. */
const MAX_PARAM_LENGTH = 32_768;

/** Every operation of the API. */
export const ROUTES: readonly Route[] = [
  createJobRoute,
  listJobsRoute,
  getJobRoute,
  jobEventsRoute,
  cancelJobRoute,
  deleteJobRoute,
  getAccountRoute,
  listLedgerRoute,
  listToolsRoute,
  getToolRoute,
  listWebhookDeliveriesRoute,
  redeliverWebhookRoute,
  getWebhookEndpointRoute,
  setWebhookEndpointRoute,
  testWebhookEndpointRoute,
  rotateWebhookSecretRoute,
];

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
  registerBodies(app, deps.limits);
  registerExpectations(app);
  handleInTurn(app.server);
  limitConnections(app.server, config.api.trustProxy === '' ? deps.limits.connections : undefined);
  allowForStandstill(app.server);
  const closing = closeWithoutRequests(app.server);
  app.addHook('preClose', async () => {
    deps.limits.close();
    deps.waiters.close();
    closing();
  });
  app.addHook('onSend', endSlowReaders());
  app.addHook('onResponse', logResponse);
  app.addHook('onResponse', countResponse(deps.metrics, deps.waiters));
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
      for (const route of ROUTES) route(scope, deps);
    },
    { prefix: PREFIX },
  );
  app.register(methodRejections);
  return app;
}

/** TRUST_PROXY in Fastify's form: a hop count, a list of addresses, or false. */
function trustProxy(value: string): string | false | ((address: string, hop: number) => boolean) {
  if (value === '') return false;
  return /^\d+$/.test(value) ? (_address, hop) => hop < Number(value) : value;
}
