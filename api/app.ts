import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import fastify from 'fastify';
import { ApiError } from '../contract/errors.ts';
import type { ApiDeps } from './deps.ts';
import type { TypedApp } from './operation.ts';
import { authenticate } from './plugins/auth.ts';
import { limitBody, registerBodies } from './plugins/body.ts';
import { registerErrors } from './plugins/errors.ts';
import { requestId } from './plugins/request-id.ts';
import { routes } from './routes/routes.ts';

export const PREFIX = '/api';

/** The whole HTTP API over its parts, not yet listening. */
export function buildApp(deps: ApiDeps): TypedApp {
  const { config, logger } = deps;
  const app = fastify({
    loggerInstance: logger,
    genReqId: requestId,
    trustProxy: trustProxy(config.api.trustProxy),
    return503OnClosing: false,
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
  app.addHook('onRequest', limitBody);
  app.addHook('onRequest', authenticate(deps.stores.keys, config.keyPrefix));
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
