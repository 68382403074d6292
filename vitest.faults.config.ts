import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/faults/setup/global.ts'],
    setupFiles: ['test/setup/leak-check.ts'],
    pool: 'forks',
    // They wait more than they work.
    maxWorkers: 3,
    testTimeout: 400_000,
    hookTimeout: 90_000,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  },
});
