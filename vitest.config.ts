import { defineConfig } from 'vitest/config';

/** Tests that need servers, or many seconds; all others are unit tests. */
const SERVICE = [
  'test/{deploy,docs,observability,operator,replay,service,temporal,upgrade}/**/*.test.ts',
  'test/mcp/{calls,edit-photo,package,run,transports}.test.ts',
  'test/client/{command-line,faults,jobs}.test.ts',
  'test/contract/{accounts,cancel,dry-run,error-table,events,failures,fields,form,idempotency,image-url,lists,order,waiting,waiting-revoked,webhook-deliveries,wire}.test.ts',
  'test/dev/{npm-start,servers,stack}.test.ts',
  'test/imaging/{cost,processes}.test.ts',
  'test/stores/{accounts,audit,audit-histories,backlog,bounded,closing,contention,deliveries,generator-calls,images,job-feed,job-feed-outage,job-requests,jobs,key-scopes}.test.ts',
  'test/stores/{cancellation,ledger-audit,list-indexes,lists,look-up,metrics,mongo-tls,own-acceptance,orphans,own-cancellation,own-ending,packs,redelivery,references,restoring,retention}.test.ts',
  'test/stores/{retention-indexes,s3-credentials,s3-policies,schema,service-user,setup}.test.ts',
];
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
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [...SERVICE, FAULTS] },
      },
      {
        extends: true,
        test: { name: 'service', include: SERVICE, globalSetup: ['test/setup/global.ts'] },
      },
    ],
  },
});
