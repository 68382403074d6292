import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PACE } from '../../contract/limits.ts';
import { readBody } from '../../read-body.ts';

const heard = () => new Promise((resolve) => setImmediate(resolve));

describe('a body that arrives too slowly', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => vi.useRealTimers());

  test('is given up once it has stood still for the slack, with its last byte withheld', async () => {
    const body = new PassThrough();
    const reading = readBody(body, () => {});
    const outcome = expect(reading).rejects.toMatchObject({ reason: 'slow' });
    body.write(Buffer.alloc(64 * 1024));
    await heard();
    vi.advanceTimersByTime(PACE.slackMs);
    await outcome;
    expect([body.destroyed, body.isPaused(), body.listenerCount('data')]).toEqual([false, true, 0]);
  });

  test.each([
    ['is given up when it trickles', {}],
    [
      'is given up when it comes too slowly for the length that is held for it',
      { bytesPerSecond: 512 * 1024 },
    ],
  ])('%s', async (_, options) => {
    const body = new PassThrough();
    let ended = false;
    const reading = readBody(body, () => {}, options).finally(() => (ended = true));
    const outcome = expect(reading).rejects.toMatchObject({ reason: 'slow' });
    let seconds = 0;
    for (; !ended && seconds < 100; seconds++) {
      body.write(Buffer.alloc(PACE.bytesPerSecond / 2));
      await heard();
      vi.advanceTimersByTime(1000);
      await heard();
    }
    await outcome;
    expect(seconds).toBeLessThan(25);
  });
});

test('a body in pieces of one byte is given up after a bounded number of them', async () => {
  const body = new PassThrough();
  let pieces = 0;
  const reading = readBody(body, () => {
    pieces += 1;
  });
  const outcome = expect(reading).rejects.toMatchObject({ reason: 'pieces' });
  for (let n = 0; n < 2 * PACE.freePieces; n++) body.write('x');
  await outcome;
  expect(pieces).toBe(PACE.freePieces);
});

test('a body that is all there already is read in turns, between which everybody else has one', async () => {
  const piece = Buffer.alloc(64 * 1024);
  const body = Readable.from(Array.from({ length: 64 }, () => piece));
  let sinceOthers = 0;
  let most = 0;
  let received = 0;
  const reading = readBody(body, ({ length }) => {
    received += length;
    sinceOthers += length;
    most = Math.max(most, sinceOthers);
  });
  let reads = true;
  const others = (async () => {
    for (; reads; sinceOthers = 0) await heard();
  })();
  await reading;
  reads = false;
  await others;
  expect(received).toBe(64 * piece.length);
  expect(most).toBeLessThanOrEqual(4 * piece.length);
});

test('a body is read to its end, or to what its reader throws', async () => {
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

test('a body whose connection goes is cut short', async () => {
  const body = new PassThrough();
  const reading = readBody(body, () => {});
  body.destroy();
  await expect(reading).rejects.toMatchObject({ reason: 'gone' });
  await expect(readBody(body, () => {})).rejects.toMatchObject({ reason: 'gone' });
});
