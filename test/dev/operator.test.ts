import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { operate } from '../../dev/stack/operate.ts';
import { environment } from '../../lib/process/config/config.ts';

const { signal } = new AbortController();

test('a failed command is reported with its own message', async () => {
  const failing = operate(Type.Unknown(), ['key', 'revok', 'K'], { env: environment(), signal });
  await expect(failing).rejects.toThrow(
    /^operator key revok K failed: Unknown command 'revok' \(Did you mean revoke\?\)$/,
  );
});

test('setup names missing settings', async () => {
  const env = { PATH: environment().PATH, S3_ENDPOINT: 'nowhere', MONGODB_URL: 'mongodb://127.0.0.1:1' };
  const failing = operate(Type.Unknown(), ['setup'], { env, signal });
  await expect(failing).rejects.toThrow('operator setup failed: The environment is not usable:\n');
  await expect(failing).rejects.toThrow('  UPLOAD_URL: must be set\n  PUBLIC_URL: must be set\n');
});
