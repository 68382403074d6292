import { Type } from 'typebox';
import { describeTools, describeToolsWithOptions } from '../../lib/catalog/catalog.ts';
import { Tool } from '../../lib/contract/schemas.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { checkQuery } from '../http/query.ts';

const Query = Type.Object({
  expand: Type.Optional(
    Type.Enum(['options'], {
      type: 'string',
      description: 'With `options`, each tool also has its title, description and options.',
    }),
  ),
});

/** GET /v1/tools: every slug with its price, and on request with its options. */
export const listToolsRoute: Route = (app, { config, toolSwitch }) => {
  const { orders } = config.generators;
  const tools = { plain: describeTools(orders), withOptions: describeToolsWithOptions(orders) };
  app.get(
    '/v1/tools',
    {
      config: { group: 'read-account' },
      preValidation: checkQuery(Query),
      schema: {
        operationId: 'listTools',
        summary: 'List the tools',
        description:
          'Every slug that `tool` accepts now, with its price at 2K. With `resolution: 4K` a render costs 2.',
        querystring: Query,
        response: { 200: Type.Array(Tool), ...errorResponses(['invalid_request'], false) },
      },
    },
    async ({ query }) =>
      tools[query.expand === 'options' ? 'withOptions' : 'plain'].filter(
        ({ slug }) => !toolSwitch.isDisabled(slug),
      ),
  );
};
