import { Type } from 'typebox';
import { describeToolsWithOptions, likelyTool } from '../../lib/catalog/catalog.ts';
import { toolNotFound } from '../../lib/contract/api-errors.ts';
import { ToolWithOptions } from '../../lib/contract/schemas.ts';
import { errorResponses, type Route } from '../http/operation.ts';

/** GET /v1/tools/{slug}: a tool with its price and options. */
export const getToolRoute: Route = (app, { config, toolSwitch }) => {
  const tools = new Map(describeToolsWithOptions(config.generators.orders).map((tool) => [tool.slug, tool]));
  const isOffered = (slug: string) => !toolSwitch.isDisabled(slug);
  app.get(
    '/v1/tools/:slug',
    {
      config: { group: 'read-account' },
      schema: {
        operationId: 'getTool',
        summary: 'Read a tool',
        description: 'One tool of the list with its title, its description and its options as JSON Schema.',
        params: Type.Object({ slug: Type.String({ description: 'A slug of GET /v1/tools.' }) }),
        response: { 200: ToolWithOptions, ...errorResponses(['not_found'], false) },
      },
    },
    async ({ params: { slug } }) => {
      const tool = isOffered(slug) ? tools.get(slug) : undefined;
      if (tool === undefined) throw toolNotFound(likelyTool(slug, isOffered));
      return tool;
    },
  );
};
