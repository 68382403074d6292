import { Type } from 'typebox';
import { listTools as catalogue } from '../../catalog/catalog.ts';
import { Tool } from '../../contract/schemas.ts';
import { errorResponses, type Route } from '../http/operation.ts';

/** GET /v1/tools: every slug with its price. */
export const listTools: Route = (app, { config, toolSwitch }) =>
  app.get(
    '/v1/tools',
    {
      config: { group: 'read-account' },
      schema: {
        operationId: 'listTools',
        summary: 'List the tools',
        description:
          'Every slug that `tool` accepts now, with its price at 2K. With `resolution: 4K` a render costs 2.',
        response: { 200: Type.Array(Tool), ...errorResponses() },
      },
    },
    async () => catalogue(config.generators.orders).filter(({ slug }) => !toolSwitch.isDisabled(slug)),
  );
