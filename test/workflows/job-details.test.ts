import { describe, expect, test } from 'vitest';
import { code, escaped } from '../../lib/domain/markdown.ts';
import { resultFacts } from '../../workflows/job-details.ts';

const madeBy = (upstreamId: string, model = 'owner/model:v1.2') => {
  const call = { generator: 'replicate', model, upstreamId, outcome: 'completed', seconds: 1 } as const;
  const rest = { costUsd: null, mayBeCharged: true, edgeRecall: null, error: null, earlierFailures: 0 };
  const result = { results: [], processingMs: 1, generator: 'replicate', calls: [{ ...call, ...rest }] };
  return resultFacts(result, [])[0];
};

describe('what an upstream says of itself in the details of a job', () => {
  test('is code where it is an ordinary id', () => {
    expect(madeBy('p1-x_y')).toBe('generator: replicate `owner/model:v1.2` `p1-x_y` in 1 s');
  });

  test('is no Markdown, whatever the id', () => {
    const image = madeBy('x`![a](https://evil.example/p.png)[Click](https://evil.example)`');
    expect(image).toContain(String.raw` x\`\!\[a\]\(https\:\/\/evil\.example`);
    expect(image).not.toMatch(/[^\\][[\]()!<>]/);
  });

  test('is short', () => {
    expect(code('x'.repeat(4000))).toHaveLength(200);
  });
});

test('escaped text stays on its line, in its direction', () => {
  expect(escaped('a\n\n# b\u2028c\u202ed\u0085e')).toBe(String.raw`a \# b c d e`);
});
