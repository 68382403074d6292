import { TOOLS } from '../../lib/catalog/registry.ts';
import type { OptionSpec, ToolSpec } from '../../lib/catalog/tool-spec.ts';

const IMAGE = { image_url: 'https://photos.example.com/front.jpg' };
const HEAD = `import type { CreateJob } from './types.gen.ts';
declare function create(job: CreateJob): void;`;

/**
 * TypeScript that creates jobs of every tool. A line after @ts-expect-error must not compile, all
 * others must.
 */
export function requestsOfAllTools(): string {
  return [HEAD, ...[...TOOLS.values()].flatMap(requestsOf)].join('\n');
}

function requestsOf(tool: ToolSpec): string[] {
  const options = { ...sampleOptions(tool), ...commonOptions(tool) };
  const job = { tool: tool.slug, options };
  const wrong = [job, { ...job, ...IMAGE, options: { ...options, noSuchOption: 'any' } }];
  for (const [key, option] of Object.entries(tool.options))
    wrong.push({ ...job, ...IMAGE, options: { ...options, [key]: wrongValue(option) } });
  return [
    call({ ...job, ...IMAGE }),
    call({ ...job, image_base64: '' }),
    ...wrong.map((body) => `// @ts-expect-error\n${call(body)}`),
  ];
}

const call = (body: object) => `create(${JSON.stringify(body)});`;

/** Every option and alias of a tool with a value that it takes. */
function sampleOptions({ options, aliases = {} }: ToolSpec): Record<string, unknown> {
  return Object.fromEntries([
    ...Object.entries(options).map(([key, option]) => [key, rightValue(option)]),
    ...Object.entries(aliases).map(([key, { map }]) => [key, Object.keys(map)[0]]),
  ]);
}

function commonOptions({ ownKeysOnly, customPrompt }: ToolSpec): Record<string, string> {
  if (ownKeysOnly) return {};
  const common = { resolution: '4K', tier: 'guided' };
  return customPrompt === 'read' ? { ...common, customPrompt: 'Warm light.' } : common;
}

function rightValue(option: OptionSpec): string | readonly string[] {
  switch (option.kind) {
    case 'choice':
      return option.values[0] ?? '';
    case 'list':
      return option.values;
    case 'flag':
    case 'hex':
      return option.default;
    case 'text':
      return 'light oak';
  }
}

/** Of another type where any text is right. */
function wrongValue({ kind }: OptionSpec): unknown {
  if (kind === 'list') return ['no-such-value'];
  return kind === 'text' || kind === 'hex' ? 1 : 'no-such-value';
}
