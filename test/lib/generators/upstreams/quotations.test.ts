import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { GeneratorError } from '../../../../lib/generators/errors.ts';
import { createQuote } from '../../../../lib/generators/upstream/quote.ts';
import { startBfl } from './bfl.ts';
import { startComfyui } from './comfyui.ts';
import { type FakeWithAdapter, KEY, type Reply, renderOf, SECRET } from './fake.ts';
import { startFal } from './fal.ts';
import { startGemini } from './gemini.ts';
import { startOpenai } from './openai.ts';
import { startReplicate } from './replicate.ts';

const PROMPT = `Paint the wall "sage green".\nKeep the piano of Mrs. O'Hara, 12 Elm Street, кв. 7, as it is.`;
const PRIVATE = ['sage green', 'Keep the piano', 'Elm Street', 'кв. 7', '043a', SECRET, 'signed-by-us'];

const STARTS = {
  gemini: startGemini,
  openai: startOpenai,
  bfl: startBfl,
  replicate: startReplicate,
  fal: startFal,
  comfyui: startComfyui,
};

/** Says back all that an upstream knows, as frameworks do that quote the request they refuse. */
async function echo(): Promise<object> {
  const { image } = await (await renderOf()).request();
  const url = `https://results.example.com/r.jpg?Expires=1&Signature=signed-by-us`;
  const input = { prompt: PROMPT, image: `data:image/jpeg;base64,${image.toString('base64')}` };
  const message = `Bearer ${SECRET} \u001b[31m ${url} ${JSON.stringify(input)}`;
  return { id: KEY, detail: [{ loc: ['body'], msg: message, input }], error: { message, input }, [KEY]: {} };
}

/** An error with its causes, as the log and Temporal may show it. */
const shown = (error: unknown) => inspect(error, { depth: 10, breakLength: Number.POSITIVE_INFINITY });

/** Nothing where the upstream's words did no harm. */
async function failureOf({ generator }: FakeWithAdapter): Promise<GeneratorError | undefined> {
  const render = await renderOf({ instruction: PROMPT });
  const outcome: unknown = await generator.render(render).catch((thrown: unknown) => thrown);
  if (outcome instanceof Error && !(outcome instanceof GeneratorError)) throw outcome;
  return outcome instanceof GeneratorError ? outcome : undefined;
}

describe.each(Object.entries(STARTS))('an upstream that says back what it was sent: %s', (_, start) => {
  const withStatus =
    (status: number, body: string): Reply =>
    (_request, response) =>
      void response
        .writeHead(status, `No, ${SECRET}`, {
          'content-length': String(Buffer.byteLength(body)),
          'x-echo': SECRET,
        })
        .end(body);

  test.each([200, 400, 422, 500])('with status %i gets nothing of it into messages', async (status) => {
    const image = (await (await renderOf()).request()).image.toString('base64');
    const json = await echo();
    let failures = 0;
    for (const body of [JSON.stringify(json), inAscii(JSON.stringify(json)), inspect(json, { depth: 5 })])
      for (const step of ['submit', 'poll'] as const) {
        await using fake = await start();
        fake.replies[step] = withStatus(status, body);
        const error = await failureOf(fake);
        if (error === undefined) continue;
        failures += 1;
        const text = shown(error);
        for (const secret of [...PRIVATE, image.slice(0, 40), image.slice(-40, -4)])
          if (secret !== SECRET || fake.generator.name !== 'comfyui') expect(text).not.toContain(secret);
        expect(error.message).not.toMatch(/\p{Cc}/u);
        expect(error.message.length).toBeLessThan(700);
      }
    expect(failures).toBeGreaterThan(0);
  });
});

const inAscii = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('a quotation', () => {
  const quote = createQuote([`Key my-id:${SECRET}`], PROMPT);

  test.each([
    ['a key that is cut off', `wrong key ${SECRET.slice(0, 15)}***`, 'wrong key [redacted]***'],
    ['a key in a URL', `at /?k=${encodeURIComponent(SECRET)}.`, 'at /?k=[redacted].'],
    ['a prompt that is cut off', `"${PROMPT.slice(0, 40)}..." is too long`, '"[prompt]..." is too long'],
    ['base64 in lines', `x ${'QUJD'.repeat(19)}\n${'QUJD'.repeat(19)} y`, 'x [data] [data] y'],
    ['base64 with escaped slashes', `x ${'QUJ\\/'.repeat(40)} y`, 'x [data] y'],
    [
      'a signature',
      'GET https:\\/\\/a.example\\/r.jpg?X-Sig=1&b=2 failed',
      'GET https://a.example/r.jpg?[redacted] failed',
    ],
    ['text that turns around', 'a\u202eb\u2028c', 'a b c'],
    ['words that the prompt has too', 'the wall is as it is', 'the wall is as it is'],
  ])('leaves out %s', (_, text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });

  test('has what an upstream says after a long echo, in up to 500 characters', () => {
    const said = quote(`${'QUJD'.repeat(2000)} ${PROMPT} Width must be even. ${'More words. '.repeat(100)}`);
    expect(said).toContain('Width must be even.');
    expect(said.length).toBe(500);
  });

  test('is made of any text without a long computation', () => {
    for (const part of ['http:/', 'https://a', '\\', 'QUJD-', `${SECRET.slice(0, 11)} `, PROMPT.slice(0, 15)])
      expect(quote(part.repeat(100_000)).length).toBeLessThanOrEqual(500);
  });
});
