import { defineConfig } from 'vitest/config';

/** Tests that need no server, and no more than seconds together. */
const UNIT = [
  'test/{budget,catalog,egress,generators,repo}/**/*.test.ts',
  'test/imaging/{finish,inspect,inspect-*,lettering,watermark}.test.ts',
  'test/api/{allowance,connections,hold,intake-*,rate-window,voids}.test.ts',
  'test/dev/{archive,banner,cache-into,chain,lock,mongod-version,operator,ports,resources}.test.ts',
  'test/stores/{batches,failures,lanes}.test.ts',
  'test/webhooks/{policy,signature,slots,turns}.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT } },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          // The fault tests start servers of their own and take minutes: npm run test:faults.
          exclude: ['test/faults/**', ...UNIT],
          globalSetup: ['test/setup/global.ts'],
        },
      },
    ],
  },
});
