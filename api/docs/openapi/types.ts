import type { OpenAPIV3_1 } from 'openapi-types';

// The types of openapi-types, narrowed to what this document always has.

/** A JSON OpenApiSchema of draft 2020-12. The package's type allows no keywords of our own. */
export interface OpenApiSchema {
  title?: string;
  description?: string;
  [keyword: string]: unknown;
}

type Common = Pick<OpenAPIV3_1.Document, 'openapi' | 'info' | 'servers' | 'tags' | 'security'>;

export interface OpenApiDocument extends Common {
  paths: Record<string, Record<string, OpenApiOperation>>;
  webhooks: Record<string, OpenAPIV3_1.PathItemObject>;
  components: Components;
}

export interface Components {
  schemas: Record<string, OpenApiSchema>;
  headers: Record<string, OpenAPIV3_1.HeaderObject>;
  parameters: Record<string, OpenAPIV3_1.ParameterObject>;
  responses: Record<string, OpenAPIV3_1.ResponseObject>;
  securitySchemes: Record<string, OpenAPIV3_1.SecuritySchemeObject>;
}

export type OpenApiOperation = OpenAPIV3_1.OperationObject<{
  operationId: string;
  tags: string[];
  requestBody?: OpenAPIV3_1.RequestBodyObject;
  responses: OpenAPIV3_1.ResponsesObject;
}>;

export type Examples = Record<string, OpenAPIV3_1.ExampleObject>;
