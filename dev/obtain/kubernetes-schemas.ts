import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, slot } from './cache.ts';
import { type Content, cacheInto, type Make } from './cache-into.ts';
import { firstThatWorks } from './chain.ts';
import { withProgress } from './progress.ts';
import { downloadWheel } from './strategies.ts';
import type { ToolContext } from './tools.ts';
import { kubernetesSchemas } from './versions.ts';

const NAME = 'kubernetes-schemas';
const FOLDER = `kubernetes_validate/kubernetes-json-schema/${kubernetesSchemas.release}-local-strict`;
const content: Content = { isComplete: existsSync, accept: async () => {} };

/** Resolves to a folder with one JSON schema per kind, as kubeconform looks them up. @throws {ObtainError} */
export function obtainKubernetesSchemas({ env, say, signal }: ToolContext): Promise<string> {
  const place = slot(cacheFolder(env), NAME, kubernetesSchemas.release);
  const make: Make = async (folder, task) => {
    const unpacked = await downloadWheel(folder, kubernetesSchemas, FOLDER, env, task);
    for (const file of readdirSync(join(unpacked, FOLDER))) makeLocal(join(unpacked, FOLDER, file));
    return join(unpacked, FOLDER);
  };
  return withProgress(NAME, say, (report) =>
    firstThatWorks(NAME, [cacheInto(place, 'Python package', make, content)], { signal, report }),
  );
}

/** The schemas refer to each other by URLs below kubernetes.io; kubeconform would look for them there. */
function makeLocal(file: string): void {
  const text = readFileSync(file, 'utf8').replaceAll('"/api/_definitions.json', '"_definitions.json');
  const { $id: _, ...schema } = JSON.parse(text);
  writeFileSync(file, JSON.stringify(schema));
}
