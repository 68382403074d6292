import '../../../setup/context.ts';
import { describe, expect, inject, test } from 'vitest';
import { loadConfig } from '../../../../lib/process/config/config.ts';
import { registerSearchAttributes } from '../../../../operator/setup/register-search-attributes.ts';
import { startCloudFront } from './cloud-front.ts';

function temporalAt(address: string, namespace: string) {
  const env = { ...inject('env'), TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
  return loadConfig(env).temporal;
}

describe('where clients may not register search attributes', () => {
  test('setup is done when the namespace has them', async () => {
    await using cloud = await startCloudFront(inject('env').TEMPORAL_ADDRESS ?? '');
    await registerSearchAttributes(temporalAt(cloud.address, 'default'));
  });

  test('setup names those that have to be added', async () => {
    await using cloud = await startCloudFront(inject('env').TEMPORAL_ADDRESS ?? '');
    await expect(registerSearchAttributes(temporalAt(cloud.address, 'temporal-system'))).rejects.toThrow(
      'Add AccountId (keyword), AccountName (keyword), Tool (keyword), JobStatus (keyword) to the namespace',
    );
  });
});
