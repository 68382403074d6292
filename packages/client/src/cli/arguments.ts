import { parseArgs } from 'node:util';
import { UsageError } from './usage.ts';

export interface EditArguments {
  command: 'edit';
  inputs: string[];
  tool: string;
  /** As given: KEY=VALUE. */
  options: [string, string][];
  output: string | undefined;
  record: string;
  concurrency: number;
  dryRun: boolean;
}

export type Command =
  | EditArguments
  | { command: 'tools'; slug: string | undefined }
  | { command: 'account' }
  | { command: 'help' }
  | { command: 'version' };

export interface Arguments {
  command: Command;
  baseUrl: string | undefined;
  json: boolean;
}

const OPTIONS = {
  tool: { type: 'string' },
  option: { type: 'string', multiple: true },
  output: { type: 'string', short: 'o' },
  record: { type: 'string' },
  concurrency: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'base-url': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parse>['values'];

/** @throws {UsageError} */
export function parseArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args);
  const [name, ...operands] = positionals;
  return {
    command: commandOf(name, operands, values),
    baseUrl: values['base-url'],
    json: values.json === true,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function commandOf(name: string | undefined, operands: string[], values: Values): Command {
  if (values.help === true || name === undefined) return { command: values.version ? 'version' : 'help' };
  if (name === 'edit') return editOf(operands, values);
  if (name === 'tools') return { command: 'tools', slug: operands[0] };
  if (name === 'account') return { command: 'account' };
  throw new UsageError(`There is no command ${JSON.stringify(name)}: edit, tools or account.`);
}

function editOf(inputs: string[], values: Values): EditArguments {
  if (inputs.length === 0)
    throw new UsageError('Name a photo or a folder: image-job edit photo.jpg --tool declutter');
  if (values.tool === undefined) throw new UsageError('--tool is missing; `image-job tools` lists them.');
  return {
    command: 'edit',
    inputs,
    tool: values.tool,
    options: optionsOf(values.option ?? []),
    output: values.output,
    record: values.record ?? 'image-job',
    concurrency: concurrencyOf(values.concurrency ?? '4'),
    dryRun: values['dry-run'] === true,
  };
}

function optionsOf(texts: string[]): [string, string][] {
  const pairs = texts.map(pairOf);
  const twice = pairs.find(([key], index) => pairs.findIndex(([other]) => other === key) !== index);
  if (twice === undefined) return pairs;
  throw new UsageError(`--option ${twice[0]} is given twice; lists are separated by commas.`);
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--option ${text}: must be KEY=VALUE.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function concurrencyOf(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > 16) throw new UsageError('--concurrency must be a number from 1 to 16.');
  return count;
}
