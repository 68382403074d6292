import { expect, test } from 'vitest';
import { preferredWait } from '../../api/waiting/prefer.ts';

test.each<[string, number]>([
  ['wait=10', 10],
  ['WAIT = 10', 10],
  ['wait="10"', 10],
  ['wait="1\\0"', 10],
  ['\t wait\t=\t10 \t', 10],
  ['wait=10; foo=bar', 10],
  ['wait=10 ;foo; bar="a,b;wait=5"', 10],
  ['respond-async, wait=10', 10],
  ['handling=lenient;x="\\", wait=7",wait=10,wait=20', 10],
  [',, wait=10,', 10],
  ['wait=1', 1],
  ['wait=007', 7],
  ['wait=60', 60],
  ['wait=61', 60],
  [`wait=${'9'.repeat(400)}`, 60],
])('%j asks to wait for %d seconds', (header, seconds) => {
  expect(preferredWait(header)).toBe(seconds);
});

test.each([
  '',
  'wait',
  'wait=',
  'wait=""',
  'wait=0',
  'wait=-1',
  'wait=1.5',
  'wait=1e1',
  'wait=0x10',
  'wait=ten',
  'wait=1 0',
  'wait=10=20',
  'wait="10',
  'wait=10"',
  'wait="10"20',
  'wait=ten, wait=10',
  'x="unfinished, wait=10',
  'await=10',
  'respond-async',
  'foo="wait=10"',
  'foo=1; wait=10',
  '"wait=10"',
  '"wait"=10',
  'wait:10',
  'wait=١٠',
])('%j asks for nothing', (header) => {
  expect(preferredWait(header)).toBeUndefined();
});

test('without the header nothing is asked for, and one of any length is read in linear time', () => {
  expect(preferredWait(undefined)).toBeUndefined();
  expect(preferredWait(`${'"\\'.repeat(8000)},wait=10`)).toBeUndefined();
  expect(preferredWait(`${'a;,='.repeat(4000)},wait=10`)).toBe(10);
});
