import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../process/command.ts';
import { installClientTools } from './install.ts';

/** The part of an OpenAPI document that is looked at here. */
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>;
}

const HEADER = '// Generated from the OpenAPI document by `npm run client:types`.\n';

/**
 * The types of packages/client as TypeScript, generated from the OpenAPI document of the service.
 */
export async function openApiTypes(document: Document, signal: AbortSignal): Promise<string> {
  const generator = join(await installClientTools(signal), 'openapi-typescript/bin/cli.js');
  const folder = await mkdtemp(join(tmpdir(), 'openapi-types-'));
  try {
    const [input, output] = [join(folder, 'openapi.json'), join(folder, 'openapi.ts')];
    await writeFile(input, JSON.stringify(withoutErrors(document)));
    await runCommand(process.execPath, [generator, input, '--output', output], { signal });
    return HEADER + (await readFile(output, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Errors have one body and responses the same headers, so repeating them for each route would be
 * half of the types.
 */
function withoutErrors(document: Document): Document {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => {
      const successes = Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, response]) => [status, { ...response, headers: {} }]);
      return [method, { ...operation, responses: Object.fromEntries(successes) }];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
