import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { fakeToolSwitch } from '../fakes/tool-switch.ts';
import { postJob } from '../setup/client.ts';
import { sampleImage } from '../setup/images.ts';
import { startFakeApi } from './fake-api.ts';
import { expectError } from './responses.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
let image_base64: string;
const disabled = new Set<string>();

beforeAll(async () => {
  image_base64 = await sampleImage();
  const toolSwitch = fakeToolSwitch(disabled);
  api = await startFakeApi(Buffer.from(image_base64, 'base64'), { toolSwitch });
});
afterAll(async () => api?.app.close());

async function messageOf(tool: string): Promise<string> {
  const response = await postJob(api.app, api.headers, { tool, image_base64 });
  expectError(response, 'invalid_tool', api.config.api.publicUrl);
  return response.json().error.message;
}

test('invalid_tool names the slug that was probably meant', async () => {
  expect(await messageOf('Virtual Staging')).toContain('Did you mean virtual-staging?');
  expect(await messageOf('declutterr')).toContain('Did you mean declutter?');
});

test.each(['', '\0', '\u202Eloop', '__proto__', 'x'.repeat(LIMITS.toolLength), `pool${'!'.repeat(60)}`])(
  'invalid_tool makes no suggestion for %j',
  async (tool) => {
    const message = await messageOf(tool);
    expect(message).toBe('tool: unknown tool. GET /v1/tools lists the slugs.');
  },
);

test('a tool that is switched off is not suggested', async () => {
  disabled.add('pool');
  expect(await messageOf('pol')).not.toContain('mean pool?');
});
