import { expect, test } from 'vitest';
import { mapUpstreams } from '../../../lib/generators/telemetry.ts';
import { generatorsOf, scriptedUpstream } from '../../setup/generators.ts';

test('replaces an upstream by the same one for a tool and by its name, and no local generator', () => {
  const upstream = scriptedUpstream({});
  const local = { kind: 'local', name: 'preview' } as const;
  const mapped = mapUpstreams(generatorsOf(upstream, local), (each) => ({ ...each, model: 'other' }));
  const [first, second] = mapped.forPlan({ group: 'staging', classical: false });
  expect(first).toMatchObject({ name: 'scripted', model: 'other' });
  expect(second).toBe(local);
  expect(mapped.find('scripted')).toBe(first);
  expect(mapped.find('preview')).toBeUndefined();
});
