import { defineConfig } from 'vitest/config';

/** Tests that need the servers. All others are unit tests. */
const SERVICE = 'test/**/*.service.test.ts';
/** They start servers of their own and take minutes: npm run test:faults. */
const FAULTS = 'test/faults/**';

export default defineConfig({
  // packages/mcp imports packages/client by its name.
  resolve: { alias: { 'image-job/node': `${import.meta.dirname}/packages/client/src/node.ts` } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // What is waited for comes late on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    setupFiles: ['test/setup/leak-check.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [SERVICE, FAULTS] },
      },
      {
        extends: true,
        test: { name: 'service', include: [SERVICE], globalSetup: ['test/setup/global.ts'] },
      },
    ],
  },
});
