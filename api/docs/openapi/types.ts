/** The parts of an OpenAPI 3.1 document that are used here. */
export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, unknown>>;
  components: Components;
  [field: string]: unknown;
}

export interface Components {
  schemas: Record<string, Schema>;
  headers: Record<string, Header>;
  parameters: Record<string, unknown>;
  responses: Record<string, Response>;
  securitySchemes: Record<string, unknown>;
}

/** A JSON Schema of draft 2020-12. */
export interface Schema {
  title?: string;
  description?: string;
  [keyword: string]: unknown;
}

export interface Ref {
  $ref: string;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: unknown[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, Response | Ref>;
}

export interface Response {
  description: string;
  headers?: Record<string, Ref>;
  content?: Record<string, MediaType>;
  links?: Record<string, Link>;
}

export interface Link {
  operationId: string;
  description: string;
  parameters: Record<string, string>;
}

export interface MediaType {
  schema: Schema;
  examples?: Examples;
}

export type Examples = Record<string, { summary?: string; description?: string; value: unknown }>;

export interface Header {
  description: string;
  required?: boolean;
  schema: Schema;
}
