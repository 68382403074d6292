import { describe, expect, test } from 'vitest';
import { renderOf } from './fake.ts';
import { startGemini } from './gemini.ts';
import { startOpenai } from './openai.ts';

describe('a photo whose ratio an upstream does not make', () => {
  test('is not sent to openai', async () => {
    await using fake = await startOpenai();
    const request = await renderOf({ width: 4000, height: 1000 });
    await expect(fake.generator.render(request)).rejects.toMatchObject({
      failure: { kind: 'refused', reason: 'invalid_input' },
      mayBeCharged: false,
    });
    expect(fake.submissions()).toBe(0);
  });
});

describe('gemini is asked for the nearest of its ratios', () => {
  test.each([
    [1920, 1200, '3:2'],
    [4032, 3024, '4:3'],
    [1080, 1920, '9:16'],
  ])('for %i x %i', async (width, height, ratio) => {
    await using fake = await startGemini();
    await fake.generator.render(await renderOf({ width, height }));
    expect(fake.server.seen[0]?.body.toString()).toContain(`"aspectRatio":"${ratio}"`);
  });
});
