import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../../lib/catalog/registry.ts';
import type { ToolSpec } from '../../../lib/catalog/tool-spec.ts';
import { instruction, texts, values, wishes } from './instruction-cases.ts';

const tools = [...TOOLS.values()];

/** Everything that a model may be told for the tool, as one page to read aloud. */
function page(tool: ToolSpec): string {
  const guided = instruction(tool, {});
  const client = texts(tool);
  const sections = [
    ['Guided, nothing but defaults', guided],
    ...(Object.keys(client).length > 0
      ? [["Guided, with the client's words", instruction(tool, client)]]
      : []),
    ...(tool.preset === undefined ? [] : [['Auto', instruction(tool, { tier: 'auto' })]]),
    ...(tool.customPrompt === 'read'
      ? [['Custom', instruction(tool, { tier: 'custom', customPrompt: wishes(tool) })]]
      : []),
  ];
  const blocks = sections.map(([title, text]) => `## ${title}\n\n\`\`\`text\n${text}\n\`\`\`\n`);
  return [`# ${tool.title}\n`, ...blocks, ...valuesSection(tool, guided)].join('\n');
}

function valuesSection(tool: ToolSpec, guided: string): string[] {
  const known = new Set(guided.split('\n'));
  const rows = values(tool).flatMap(({ key, value, options }) => {
    const lines = instruction(tool, options).split('\n');
    const added = lines.filter((line) => !known.has(line));
    return added.length === 0 ? [] : [`- ${key} ${value}: ${added.join(' ')}`];
  });
  return rows.length === 0 ? [] : [`## What other values say instead\n\n${rows.join('\n')}\n`];
}

describe('the instructions', () => {
  test.each(tools)('of $slug read as in instructions/$slug.md', async (tool) => {
    await expect(page(tool)).toMatchFileSnapshot(`instructions/${tool.slug}.md`);
  });

  test('have one page for each tool and no other', () => {
    const pages = readdirSync(new URL('instructions', import.meta.url));
    expect(pages.sort()).toEqual(tools.map(({ slug }) => `${slug}.md`).sort());
  });
});
