import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readBody } from '../../../lib/admission/read-body.ts';
import { PACE } from '../../../lib/contract/limits.ts';

/** Waits until the callbacks of settled promises have run. */
const flush = () => new Promise((resolve) => setImmediate(resolve));

describe('a body that arrives too slowly', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => vi.useRealTimers());

  test('is rejected after a pause of slackMs before its last byte', async () => {
    const body = new PassThrough();
    const reading = readBody(body, () => {});
    const outcome = expect(reading).rejects.toMatchObject({ reason: 'slow' });
    body.write(Buffer.alloc(64 * 1024));
    await flush();
    vi.advanceTimersByTime(PACE.slackMs);
    await outcome;
    expect([body.destroyed, body.isPaused(), body.listenerCount('data')]).toEqual([false, true, 0]);
  });

  test('is read to its end when it pauses for less than the given slackMs', async () => {
    const body = new PassThrough();
    const reading = readBody(body, () => {}, { slackMs: 2 * PACE.slackMs });
    await flush();
    vi.advanceTimersByTime(2 * PACE.slackMs - 1);
    body.end('x');
    await expect(reading).resolves.toBeUndefined();
  });

  test.each([
    ['is rejected below the default rate', {}],
    ['is rejected below the given rate', { bytesPerSecond: 512 * 1024 }],
  ])('%s', async (_, options) => {
    const body = new PassThrough();
    let ended = false;
    const reading = readBody(body, () => {}, options).finally(() => (ended = true));
    const outcome = expect(reading).rejects.toMatchObject({ reason: 'slow' });
    let seconds = 0;
    for (; !ended && seconds < 100; seconds++) {
      body.write(Buffer.alloc(PACE.bytesPerSecond / 2));
      await flush();
      vi.advanceTimersByTime(1000);
      await flush();
    }
    await outcome;
    expect(seconds).toBeLessThan(25);
  });
});

test('a body in pieces of one byte is rejected after a bounded number of pieces', async () => {
  const body = new PassThrough();
  let pieces = 0;
  const reading = readBody(body, () => {
    pieces += 1;
  });
  const outcome = expect(reading).rejects.toMatchObject({ reason: 'too_many_chunks' });
  for (let n = 0; n < 2 * PACE.freePieces; n++) body.write('x');
  await outcome;
  expect(pieces).toBe(PACE.freePieces);
});

test('a body that has fully arrived is read in turns, between which other callbacks run', async () => {
  const piece = Buffer.alloc(64 * 1024);
  const body = Readable.from(Array.from({ length: 64 }, () => piece));
  let bytesInTurn = 0;
  let maxBytesInTurn = 0;
  let received = 0;
  const reading = readBody(body, ({ length }) => {
    received += length;
    bytesInTurn += length;
    maxBytesInTurn = Math.max(maxBytesInTurn, bytesInTurn);
  });
  let isReading = true;
  const others = (async () => {
    for (; isReading; bytesInTurn = 0) await flush();
  })();
  await reading;
  isReading = false;
  await others;
  expect(received).toBe(64 * piece.length);
  expect(maxBytesInTurn).toBeLessThanOrEqual(4 * piece.length);
});

test('a body is read to its end, or until take throws', async () => {
  const whole: Buffer[] = [];
  const body = new PassThrough();
  body.end('abc');
  await readBody(body, (piece) => whole.push(piece));
  expect(Buffer.concat(whole).toString()).toBe('abc');
  const other = new PassThrough();
  other.write('abc');
  const refusal = new Error('no');
  const take = () => {
    throw refusal;
  };
  await expect(readBody(other, take)).rejects.toBe(refusal);
  expect(other.destroyed).toBe(false);
});

test('a body whose connection closes is rejected', async () => {
  const body = new PassThrough();
  const reading = readBody(body, () => {});
  body.destroy();
  await expect(reading).rejects.toMatchObject({ reason: 'aborted' });
  await expect(readBody(body, () => {})).rejects.toMatchObject({ reason: 'aborted' });
});
