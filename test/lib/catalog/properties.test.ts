import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planRender } from '../../../lib/catalog/catalog.ts';
import { INSTRUCTION_MAX_LENGTH } from '../../../lib/catalog/plan.ts';
import { TOOLS } from '../../../lib/catalog/registry.ts';
import type { ToolSpec } from '../../../lib/catalog/tool-spec.ts';

const tools = [...TOOLS.values()];
const anyTool = fc.constantFrom(...tools);
const knownKeys = [...new Set(tools.flatMap((tool) => Object.keys(tool.options)))];
const hostile = fc.constantFrom(
  '__proto__',
  'constructor',
  '\u0000',
  '\uD800',
  '"{style}"',
  'x'.repeat(3000),
  '\u{1F3E0}'.repeat(400),
  '\uFDFA'.repeat(500),
);
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 800 }),
  hostile,
  fc.constantFrom('4K', '2K', 'true', 'custom', 'modern', '#FFFFFF'),
);
const anyKey = fc.oneof(
  fc.constantFrom('tier', 'customPrompt', 'resolution', 'view', 'style', ...knownKeys),
  fc.string({ maxLength: 120 }),
  hostile,
);
const anyOptions = fc.oneof(
  fc.dictionary(anyKey, anyValue, { maxKeys: 12 }),
  fc.record({ tier: fc.constantFrom('auto', 'custom', 'guided'), customPrompt: fc.string() }),
);

/** Options of the tool with arbitrary values, in the tiers that do not check them. */
function uncheckedOptionsOf(tool: ToolSpec, value: fc.Arbitrary<unknown>) {
  const values = Object.fromEntries(Object.keys(tool.options).map((key) => [key, value]));
  return fc.record(
    { ...values, tier: fc.constantFrom('auto', 'custom'), customPrompt: fc.string({ minLength: 1 }) },
    { requiredKeys: ['tier'] },
  );
}

const ofAnyTool = fc.oneof(
  fc.tuple(anyTool, anyOptions),
  anyTool.chain((tool) => fc.tuple(fc.constant(tool), uncheckedOptionsOf(tool, anyValue))),
);

const check = (property: (tool: ToolSpec, options: Record<string, unknown>) => void) =>
  fc.assert(
    fc.property(ofAnyTool, ([tool, options]) => property(tool, options)),
    { numRuns: 3000 },
  );

describe('planRender', () => {
  test('never throws for JSON, and describes any problem', () => {
    fc.assert(
      fc.property(anyTool, fc.jsonValue(), (tool, json) => {
        const planned = planRender(tool, json as Record<string, unknown>);
        if (!planned.ok) expect(planned.message.length).toBeLessThan(1000);
      }),
    );
    check((tool, options) => {
      const planned = planRender(tool, options);
      if (!planned.ok) expect(planned.message).toMatch(/^.{10,999}$/);
    });
  });

  test('warns only about keys that were sent, once each', () => {
    check((tool, options) => {
      const planned = planRender(tool, options);
      const named = planned.ok ? planned.plan.warnings.map(({ option }) => option) : [];
      for (const option of named) expect(Object.hasOwn(options, option)).toBe(true);
      expect(new Set(named).size).toBe(named.length);
      if (planned.ok)
        for (const { message } of planned.plan.warnings) expect(message.length).toBeLessThan(1000);
    });
  });

  test('charges 1 or 2 images, 2 for 4K', () => {
    check((tool, options) => {
      const planned = planRender(tool, options);
      if (!planned.ok) return;
      const doubled = options.resolution === '4K' || tool.slug === '4k-upscale';
      expect(planned.plan.imagesCharged).toBe(doubled ? 2 : 1);
    });
  });

  test('returns a bounded, JSON-serialisable plan, the same each time', () => {
    check((tool, options) => {
      const planned = planRender(tool, options);
      expect(planRender(tool, structuredClone(options))).toEqual(planned);
      if (!planned.ok) return;
      const { plan } = planned;
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
      expect(plan.instruction.length).toBeLessThanOrEqual(INSTRUCTION_MAX_LENGTH);
      for (const line of [...plan.instruction.split(/\n+/), ...Object.values(plan.settings)])
        expect(line).toMatch(/^[^\p{Cc}\p{Cs}]+$/u);
      for (const value of Object.values(plan.settings)) expect([...value].length).toBeLessThanOrEqual(500);
    });
  });

  test('accepts exactly the listed values in guided', () => {
    const choices = tools.flatMap((tool) =>
      Object.entries(tool.options).flatMap(([key, option]) =>
        option.kind === 'choice' ? [{ tool, key, values: option.values }] : [],
      ),
    );
    const sample = fc
      .constantFrom(...choices)
      .chain((choice) =>
        fc.tuple(
          fc.constant(choice),
          fc.oneof(fc.constantFrom<unknown>(...choice.values), anyValue),
          fc.constantFrom({}, { tier: 'guided' }),
        ),
      );
    fc.assert(
      fc.property(sample, ([{ tool, key, values }, value, tier]) => {
        const base = tool.ownKeysOnly ? { style: 'modern' } : tier;
        const planned = planRender(tool, { ...base, [key]: value });
        expect(planned.ok).toBe(values.some((listed) => listed === value));
      }),
      { numRuns: 3000 },
    );
  });

  test('leaves no placeholder in an instruction', () => {
    for (const tool of tools)
      for (const tier of ['guided', 'auto']) {
        const planned = planRender(tool, tool.ownKeysOnly ? { style: 'modern' } : { tier });
        expect(planned.ok && planned.plan.instruction).not.toMatch(/[{}]/);
      }
  });
});
