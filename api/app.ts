import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import fastify from 'fastify';
import { ApiError } from '../contract/errors.ts';
import type { ApiDeps } from './deps.ts';
import { registerDocs } from './docs/register.ts';
import type { TypedApp } from './operation.ts';
import { authenticate } from './plugins/auth.ts';
import { limitBody, registerBodies } from './plugins/body.ts';
import { registerErrors } from './plugins/errors.ts';
import { requestId } from './plugins/request-id.ts';
import { routes } from './routes/routes.ts';

export const PREFIX = '/api';
/** A request, its body included, must have arrived by then; a 30 MB body takes 4 Mbit/s. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The whole HTTP API over its parts, not yet listening. */
export function buildApp(deps: ApiDeps): TypedApp {
  const { config, logger } = deps;
  const app = fastify({
    loggerInstance: logger,
    genReqId: requestId,
    trustProxy: trustProxy(config.api.trustProxy),
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 500 },
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  registerErrors(app, config.api.publicUrl);
  app.decorateRequest('caller');
  app.decorateRequest('jobBody');
  registerBodies(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id);
    if (!deps.apiSwitch.enabled())
      throw new ApiError('api_disabled', 'The API is switched off at the moment.');
  });
  app.addHook('onRequest', deps.rateLimits.countClient);
  app.addHook('onRequest', limitBody);
  app.addHook('onRequest', authenticate(deps.stores.keys, config.keyPrefix));
  app.addHook('onRequest', deps.rateLimits.countKey);
  registerDocs(app, config.api.publicUrl, PREFIX);
  app.register(
    async (scope) => {
      for (const route of routes) route(scope, deps);
    },
    { prefix: PREFIX },
  );
  return app;
}

/** TRUST_PROXY as Fastify takes it: a hop count, a list of addresses, or nothing. */
function trustProxy(value: string): string | false | ((address: string, hop: number) => boolean) {
  if (value === '') return false;
  return /^\d+$/.test(value) ? (_address, hop) => hop < Number(value) : value;
}
