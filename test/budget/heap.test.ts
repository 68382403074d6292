import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeap } from '../../heap.ts';

test('gives the least item first, whatever was added and deleted before', () => {
  const step = fc.record({ add: fc.boolean(), key: fc.integer({ min: 0, max: 20 }), which: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = createHeap<{ key: number }>((a, b) => a.key < b.key);
      const model: { key: number }[] = [];
      for (const { add, key, which } of steps) {
        const gone = add ? undefined : model.splice(which % (model.length || 1), 1)[0];
        if (gone !== undefined) heap.delete(gone);
        if (add) heap.add(model[model.push({ key }) - 1] ?? { key });
        const least = model.reduce((low, item) => Math.min(low, item.key), Number.POSITIVE_INFINITY);
        expect(heap.first()?.key ?? Number.POSITIVE_INFINITY).toBe(least);
      }
    }),
  );
});

test('deleting what is not there changes nothing', () => {
  const heap = createHeap<{ key: number }>((a, b) => a.key < b.key);
  const only = { key: 1 };
  heap.add(only);
  heap.delete({ key: 1 });
  expect(heap.first()).toBe(only);
  heap.delete(only);
  heap.delete(only);
  expect(heap.first()).toBeUndefined();
});

test('deleting takes a number of comparisons that grows with the logarithm', () => {
  let comparisons = 0;
  const heap = createHeap<{ key: number }>((a, b) => {
    comparisons += 1;
    return a.key < b.key;
  });
  const items = Array.from({ length: 4096 }, (_, n) => ({ key: (n * 2654435761) % 4096 }));
  for (const item of items) heap.add(item);
  for (const item of items) heap.delete(item);
  expect(comparisons).toBeLessThan(4096 * 12 * 4);
});
