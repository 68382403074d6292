import { describe, expect, test } from 'vitest';
import { describeCatalog, describeCommonOptions } from '../../../lib/catalog/describe.ts';
import { GROUPS, TOOLS } from '../../../lib/catalog/registry.ts';
import type { Condition, OptionSpec, ToolSpec } from '../../../lib/catalog/tool-spec.ts';
import * as wordings from '../../../lib/catalog/wording.ts';

const tools = [...TOOLS.values()];
const options = tools.flatMap((tool) =>
  Object.entries(tool.options).map(([key, option]) => ({ tool, key, option, name: `${tool.slug} ${key}` })),
);
const valuesOf = (option: OptionSpec): readonly string[] =>
  option.kind === 'flag' ? ['true', 'false'] : 'values' in option ? option.values : [];

function expectCondition(tool: ToolSpec, condition: Condition) {
  for (const [key, wanted] of Object.entries(condition)) {
    const option = tool.options[key];
    expect(option, `${tool.slug} ${key}`).toBeDefined();
    if (option && typeof wanted !== 'string')
      expect(valuesOf(option)).toEqual(expect.arrayContaining([...wanted]));
  }
}

describe('the catalogue as data', () => {
  test('names each tool, group and label once', () => {
    const count = GROUPS.flatMap((group) => group.tools).length;
    expect(TOOLS.size).toBe(count);
    expect(new Set(tools.map(({ label }) => label)).size).toBe(count);
    expect(new Set(GROUPS.map(({ id }) => id)).size).toBe(GROUPS.length);
    for (const { slug, label } of tools) {
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(label).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    }
  });

  test('describes everything in one line', () => {
    const lines = [...GROUPS, ...tools].flatMap(({ title, description }) => [title, description]);
    for (const line of [...lines, ...options.map(({ option }) => option.description)])
      expect(line).toMatch(/^\S.{2,150}\S$/);
  });

  test.each(options)('$name has consistent values', ({ tool, key, option }) => {
    const values = valuesOf(option);
    expect(new Set(values).size).toBe(values.length);
    if ('default' in option && option.kind !== 'hex') expect(values).toContain(option.default);
    if (option.appliesWhen && option.appliesWhen !== 'never') expectCondition(tool, option.appliesWhen);
    if (option.kind !== 'choice') return;
    // A table that tools share may have more values than each of them.
    const shared = Object.values<unknown>(wordings).includes(option.wording);
    if (option.wording && !shared)
      expect(values).toEqual(expect.arrayContaining(Object.keys(option.wording)));
    if (option.sameAsOmitted) expect(values).toContain(option.sameAsOmitted);
    if (option.valuesBy) {
      // The other option must be declared first, because settings are resolved in order.
      const keys = Object.keys(tool.options);
      expect(keys.indexOf(option.valuesBy.option)).toBeLessThan(keys.indexOf(key));
      expect([...new Set(Object.values(option.valuesBy.lists).flat())]).toEqual(values);
    }
  });

  test.each(tools)('the task of $slug uses each option that has an effect', (tool) => {
    const task = JSON.stringify(tool.task);
    for (const [key, option] of Object.entries(tool.options))
      if (option.appliesWhen !== 'never')
        expect(task).toMatch(new RegExp(`\\{${key}\\}|"${key}":(\\[|"given")`));
    for (const [, key] of task.matchAll(/\{(\w+)\}/g)) {
      expect(tool.options).toHaveProperty(key ?? '');
      // Free text is never put into a sentence: it follows in a block of its own.
      expect(tool.options[key ?? '']?.kind).not.toBe('text');
    }
    for (const sentence of tool.task) if (typeof sentence !== 'string') expectCondition(tool, sentence.when);
  });

  test.each(tools.filter(({ aliases }) => aliases))('$slug has aliases that map to its values', (tool) => {
    for (const alias of Object.values(tool.aliases ?? {})) {
      const target = tool.options[alias.for];
      expect(target && valuesOf(target)).toEqual(expect.arrayContaining(Object.values(alias.map)));
    }
  });

  test('names the task without options where the custom tier reads a text, and only there', () => {
    for (const { aim, customPrompt } of tools) {
      expect(aim !== undefined).toBe(customPrompt === 'read');
      if (aim !== undefined) expect(aim).toMatch(/^[A-Z].*[a-z0-9D]$/);
    }
  });

  test('keeps options next to a preset only where there is one', () => {
    for (const tool of tools) {
      if (tool.presetKeeps !== undefined) expect(tool.preset).toBeDefined();
      for (const key of tool.presetKeeps ?? []) expect(tool.options).toHaveProperty(key);
    }
  });
});

describe('the description of the catalogue', () => {
  test('has every tool in order', () => {
    const slugs = describeCatalog().flatMap((group) => group.tools.map(({ slug }) => slug));
    expect(slugs).toEqual([...TOOLS.keys()]);
  });

  test('shows price, tiers and options of a tool', () => {
    const described = describeCatalog().flatMap((group) => group.tools);
    expect(described.find(({ slug }) => slug === 'kitchen-fixtures')).toMatchObject({
      imagesAt2K: 1,
      imagesAt4K: 2,
      readsCustomPrompt: true,
      hasPreset: true,
      options: [
        { key: 'kitchenFixtureType', usedWhen: null },
        { key: 'kitchenSinkStyle', usedWhen: 'kitchenFixtureType is kitchen-sink' },
        { key: 'fixtureFinish', default: 'brushed-nickel' },
      ],
    });
    expect(described.find(({ slug }) => slug === 'virtual-staging')).toMatchObject({
      imagesAt4K: null,
      takesCommonOptions: false,
    });
  });

  test('shows the common options', () => {
    expect(describeCommonOptions().map(({ key, default: value }) => [key, value])).toEqual([
      ['resolution', '2K'],
      ['tier', 'guided'],
      ['customPrompt', null],
    ]);
  });
});
