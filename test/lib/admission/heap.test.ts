import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeap } from '../../../lib/admission/heap.ts';

test('first returns the least item after any sequence of additions and deletions', () => {
  const step = fc.record({ add: fc.boolean(), key: fc.integer({ min: 0, max: 20 }), index: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = createHeap<{ key: number }>((a, b) => a.key < b.key);
      const model: { key: number }[] = [];
      for (const { add, key, index } of steps) {
        const deleted = add ? undefined : model.splice(index % (model.length || 1), 1)[0];
        if (deleted !== undefined) heap.delete(deleted);
        if (add) heap.add(model[model.push({ key }) - 1] ?? { key });
        const least = model.reduce((low, item) => Math.min(low, item.key), Number.POSITIVE_INFINITY);
        expect(heap.first()?.key ?? Number.POSITIVE_INFINITY).toBe(least);
      }
    }),
  );
});

test('deleting an absent item changes nothing', () => {
  const heap = createHeap<{ key: number }>((a, b) => a.key < b.key);
  const only = { key: 1 };
  heap.add(only);
  heap.delete({ key: 1 });
  expect(heap.first()).toBe(only);
  heap.delete(only);
  heap.delete(only);
  expect(heap.first()).toBeUndefined();
});

test('adding and deleting take O(log n) comparisons', () => {
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
