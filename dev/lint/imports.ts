import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';
import { LAYERS, type Layer } from './layers.ts';

// Biome's rules cannot express layers.ts. noRestrictedImports matches an import as it is written,
// not the file that it names: `../telemetry/a.ts` may mean lib/telemetry or
// lib/generators/telemetry. It has no exception for types. noUndeclaredDependencies has one list of
// packages for all layers. Only cycles are left to Biome.

const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

interface Import {
  /** As written. */
  specifier: string;
  /** Whether only types are imported. */
  isType: boolean;
}

/** Every import of a file that {@link LAYERS} forbids, as messages. */
export function breachesIn(path: string, text = readFileSync(path, 'utf8')): string[] {
  const from = layerOf(path);
  const layer = LAYERS[from];
  if (layer === undefined) return [`${path}: ${from} is no layer; add it to dev/lint/layers.ts`];
  return importsOf(path, text).flatMap((imported) => {
    const breach = breachOf(path, from, layer, imported);
    return breach === undefined ? [] : [`${path}: ${breach}`];
  });
}

function breachOf(path: string, from: string, layer: Layer, imported: Import): string | undefined {
  const { specifier, isType } = imported;
  if (!specifier.startsWith('.')) return packageBreachOf(from, layer, imported);
  const to = layerOf(normalize(join(dirname(path), specifier)));
  if (to === from || layer.layers.includes(to)) return undefined;
  if (!layer.types?.includes(to)) return `${from} must not import ${to}`;
  return isType ? undefined : `${from} may import types of ${to} only`;
}

function packageBreachOf(from: string, layer: Layer, { specifier, isType }: Import): string | undefined {
  const name = packageOf(specifier);
  if (layer.packages?.includes(name) === false) return `${from} must not import ${name}`;
  const isInstalled = name in dependencies || name.startsWith('node:');
  return isInstalled || isType || layer.development
    ? undefined
    : `${from} must not import ${name}, which production does not install`;
}

/** The top-level folder of a file, the folder in `lib`, or the package; else the file itself. */
export const layerOf = (path: string) => path.split('/', /^(lib|packages)\//.test(path) ? 2 : 1).join('/');

/** The installed name of a package, without a subpath. */
function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function importsOf(path: string, text: string): Import[] {
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const imports = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    isType: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest === null ? [] : [{ specifier: moduleRequest.value, isType }],
    ),
  );
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    specifier: text.slice(start + 1, end - 1),
    isType: false,
  }));
  return [...imports, ...exports, ...dynamic];
}
