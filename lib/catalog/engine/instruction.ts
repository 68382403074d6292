import type { OptionSpec, Sentence, ToolSpec } from '../tool-spec.ts';
import { isAllowed } from './check.ts';
import { afterFence, type ClientWord, fence } from './client-words.ts';
import { colorWords } from './color-words.ts';
import type { InstructionMode } from './request.ts';
import { meets, type ToolSettings } from './settings.ts';
import { own } from './text.ts';

const PLACEHOLDER = /\{(\w+)\}/g;

/**
 * The prompt for the generator, one sentence a line: the task, the client's words where there are
 * any, and what must stay. Only listed values stand in sentences; every other value is fenced off.
 */
export function buildInstruction(tool: ToolSpec, mode: InstructionMode, settings: ToolSettings): string {
  const task = [...taskLines(tool, mode, settings), ...tool.craft];
  const words = clientWords(tool, settings);
  const parts =
    words.length === 0 ? [task, tool.keep] : [task, [fence(words)], [afterFence(tool.title), ...tool.keep]];
  return parts.map((lines) => lines.join('\n')).join('\n\n');
}

function taskLines(tool: ToolSpec, mode: InstructionMode, settings: ToolSettings): string[] {
  if (mode === 'text') return [`${tool.aim ?? tool.title}, as the client's words below describe.`];
  const lead = mode === 'preset' ? [tool.preset ?? ''] : [];
  // A preset is followed only by the sentences about options that are used next to it.
  const sentences = mode === 'preset' ? tool.task.filter(namesOption) : tool.task;
  return [...lead, ...sentences.flatMap((sentence) => say(tool, sentence, settings))];
}

const namesOption = (sentence: Sentence) => textOf(sentence).search(PLACEHOLDER) >= 0;

/**
 * The sentence with its placeholders filled; empty if one has no value or its condition is not met.
 */
function say(tool: ToolSpec, sentence: Sentence, settings: ToolSettings): string[] {
  if (typeof sentence !== 'string' && !meets(sentence.when, settings)) return [];
  const keys = [...textOf(sentence).matchAll(PLACEHOLDER)].map(([, key]) => key ?? '');
  if (keys.some((key) => own(settings, key) === undefined)) return [];
  return [textOf(sentence).replace(PLACEHOLDER, (_, key: string) => word(tool, key, settings[key] ?? ''))];
}

function textOf(sentence: Sentence): string {
  return typeof sentence === 'string' ? sentence : sentence.text;
}

function word(tool: ToolSpec, key: string, value: string): string {
  const option = own(tool.options, key);
  if (!isListed(option, value)) return `the client's choice of ${labelOf(key)} (below)`;
  if (option?.kind === 'hex') return `${value} (${colorWords(value)})`;
  const wording = option?.kind === 'choice' ? own(option.wording, value) : undefined;
  return wording ?? spaced(value);
}

/**
 * The values that are the client's own: free text, and what the tiers without checks let through.
 */
function clientWords(tool: ToolSpec, settings: ToolSettings): ClientWord[] {
  return Object.entries(settings)
    .filter(([key, value]) => !isListed(own(tool.options, key), value))
    .map(([key, value]) => ({
      label: key === 'customPrompt' ? 'wishes' : labelOf(key),
      text: own(tool.options, key)?.kind === 'choice' ? spaced(value) : value,
    }));
}

function isListed(option: OptionSpec | undefined, value: string): boolean {
  return option !== undefined && option.kind !== 'text' && isAllowed(option, value);
}

const spaced = (value: string) => value.replace(/[-_]/g, ' ');

/** `tileTone` reads as `tile tone`. */
function labelOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
