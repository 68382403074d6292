import { defineConfig } from 'vitest/config';

/** Tests that need servers, or many seconds; all others are unit tests. */
const SERVICE = [
  'test/{docs,operator,replay,service,temporal}/**/*.test.ts',
  'test/contract/{accounts,error-table,failures,fields,idempotency,image-url,order,wire}.test.ts',
  'test/dev/{npm-start,servers,stack}.test.ts',
  'test/imaging/{cost,processes}.test.ts',
  'test/stores/{accounts,job-requests,bounded,contention,deliveries,generator-calls,images,jobs,ledger-audit,look-up}.test.ts',
  'test/stores/{own-acceptance,packs,references,retention,retention-indexes,service-user,setup}.test.ts',
];
/** They start servers of their own and take minutes: npm run test:faults. */
const FAULTS = 'test/faults/**';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    setupFiles: ['test/setup/leak-check.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [...SERVICE, FAULTS] },
      },
      {
        extends: true,
        test: { name: 'service', include: SERVICE, globalSetup: ['test/setup/global.ts'] },
      },
    ],
  },
});
