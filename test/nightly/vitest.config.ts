import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    include: ['test/nightly/*.nightly.ts'],
    globalSetup: ['test/setup/global.ts'],
    setupFiles: ['test/setup/leak-check.ts'],
    pool: 'forks',
    testTimeout: 20 * 60_000,
    hookTimeout: 60_000,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  },
});
