import type { Sentence, ToolSpec } from '../tool-spec.ts';
import type { Mode } from './request.ts';
import { meets, type Settings } from './settings.ts';
import { own, withoutQuotes } from './text.ts';

const PLACEHOLDER = /\{(\w+)\}/g;

/** The prompt for the generator, in one line: the task, then what must stay unchanged. */
export function buildInstruction(tool: ToolSpec, mode: Mode, settings: Settings): string {
  if (mode === 'text') return followText(tool, settings.customPrompt ?? '');
  const lead = mode === 'preset' ? [tool.preset ?? ''] : [];
  // A preset is followed only by the sentences about options that are used next to it.
  const sentences = mode === 'preset' ? tool.task.filter(namesOption) : tool.task;
  return [...lead, ...sentences.flatMap((sentence) => say(tool, sentence, settings)), tool.keep].join(' ');
}

function followText(tool: ToolSpec, text: string): string {
  return [
    `Edit this image for one purpose: ${tool.title}.`,
    `Do what this description asks: "${withoutQuotes(text)}".`,
    `Where the description leaves it open: ${tool.keep}`,
  ].join(' ');
}

const namesOption = (sentence: Sentence) => textOf(sentence).search(PLACEHOLDER) >= 0;

/** The sentence with its placeholders filled; empty if one has no value or its condition is not met. */
function say(tool: ToolSpec, sentence: Sentence, settings: Settings): string[] {
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
  const wording = option?.kind === 'choice' ? own(option.wording, value) : undefined;
  if (wording !== undefined) return wording;
  const plain = option?.kind === 'choice' || option?.kind === 'list' ? value.replace(/[-_]/g, ' ') : value;
  return withoutQuotes(plain);
}
