import { describe, expect, test } from 'vitest';
import { fillTemplate } from '../../../../lib/generators/upstream/template.ts';

const values = { image: 'a.jpg', width: 2048, instruction: 'Say "hi".\nKeep {{width}} and \\n.' };

describe('a template', () => {
  test.each([
    ['a text', '{{image}}', 'a.jpg'],
    ['a number, which stays one', '{{width}}', 2048],
    ['a number within a text', 'w={{width}}px', 'w=2048px'],
    ['several placeholders', '{{image}} {{width}} {{image}}', 'a.jpg 2048 a.jpg'],
    ['an unknown placeholder, which stays', '{{seed}} of {{image}}', '{{seed}} of a.jpg'],
    ['the name of a property of every object', '{{constructor}}', '{{constructor}}'],
    ['no placeholder', 'plain', 'plain'],
  ])('is filled where it has %s', (_, template, filled) => {
    expect(fillTemplate(template, values)).toBe(filled);
  });

  test('takes quotes, line breaks and placeholders in a value as they are', () => {
    expect(fillTemplate('{{instruction}}', values)).toBe(values.instruction);
    expect(fillTemplate('Edit: {{instruction}}', values)).toBe(`Edit: ${values.instruction}`);
  });

  test('is filled at every depth, and keeps all that is no text', () => {
    const graph = {
      1: { inputs: { image: '{{image}}', link: ['2', 0], on: true, off: null, size: [{ w: '{{width}}' }] } },
    };
    expect(fillTemplate(graph, values)).toEqual({
      1: { inputs: { image: 'a.jpg', link: ['2', 0], on: true, off: null, size: [{ w: 2048 }] } },
    });
  });
});
