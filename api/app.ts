import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import fastify, { LogController } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import type { ApiDeps } from './deps.ts';
import { registerDocs } from './docs/register.ts';
import type { TypedApp } from './operation.ts';
import { authenticate } from './plugins/auth.ts';
import { limitBody, registerBodies } from './plugins/body.ts';
import {
  CONNECTION_LIMITS,
  closeWithoutRequests,
  endSlowReaders,
  limitConnections,
} from './plugins/connections.ts';
import { registerErrors } from './plugins/errors.ts';
import { limitHeaders } from './plugins/headers.ts';
import { otherMethods } from './plugins/methods.ts';
import { requestId } from './plugins/request-id.ts';
import { logAnswer } from './plugins/request-log.ts';
import { SECURITY_HEADERS } from './plugins/security-headers.ts';
import { answerBadMessage, registerExpectations } from './plugins/wire.ts';
import { routableUrl } from './routable-url.ts';
import { routes } from './routes/routes.ts';

export const PREFIX = '/api';
/** Above what Node lets a request line have, so that an id of any length is looked at as an id. */
const MAX_PARAM_LENGTH = 32_768;

/** The whole HTTP API over its parts, not yet listening. */
export function buildApp(deps: ApiDeps): TypedApp {
  const { config, logger } = deps;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId(config.keyPrefix),
    trustProxy: trustProxy(config.api.trustProxy),
    return503OnClosing: false,
    ...CONNECTION_LIMITS,
    clientErrorHandler: answerBadMessage(config.api.publicUrl),
    rewriteUrl: routableUrl,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  registerErrors(app, config.api.publicUrl);
  app.decorateRequest('caller');
  app.decorateRequest('jobBody');
  app.decorateRequest('hold');
  app.decorateRequest('claims');
  app.decorateRequest('bodyLease');
  registerBodies(app, deps.budgets);
  registerExpectations(app);
  limitConnections(app.server, config.api.trustProxy === '');
  const closing = closeWithoutRequests(app.server);
  app.addHook('preClose', async () => {
    deps.budgets.close();
    closing();
  });
  app.addHook('onSend', endSlowReaders);
  app.addHook('onResponse', logAnswer);
  const answerOtherMethods = otherMethods(app);
  addChecks(app, deps);
  registerDocs(app, config.api.publicUrl, PREFIX);
  app.register(
    async (scope) => {
      for (const route of routes) route(scope, deps);
    },
    { prefix: PREFIX },
  );
  app.register(answerOtherMethods);
  return app;
}

/** What every request goes through before its handler, in the order the contract and its answers rely on. */
function addChecks(app: TypedApp, { apiSwitch, rateLimits, budgets, stores, config }: ApiDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    // The key travels in a header that caches don't know as a credential. The pages of /docs allow caching again.
    reply.headers({ 'X-Request-Id': request.id, 'Cache-Control': 'no-store', ...SECURITY_HEADERS });
    if (!apiSwitch.enabled()) throw new ApiError('api_disabled', 'The API is switched off at the moment.');
  });
  app.addHook('onRequest', rateLimits.countClient);
  app.addHook('onRequest', limitHeaders);
  app.addHook('onRequest', limitBody(budgets));
  app.addHook('onRequest', authenticate(stores.keys, config.keyPrefix));
  app.addHook('onRequest', rateLimits.countKey);
}

/** TRUST_PROXY as Fastify takes it: a hop count, a list of addresses, or nothing. */
function trustProxy(value: string): string | false | ((address: string, hop: number) => boolean) {
  if (value === '') return false;
  return /^\d+$/.test(value) ? (_address, hop) => hop < Number(value) : value;
}
