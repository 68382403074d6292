import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import './test/setup/context.ts';

/** Tests on the running servers. */
const SERVICE = 'test/**/*.service.test.ts';
/** Tests of what is packed, built, deployed or started as a whole: `npm run verify`. */
const VERIFY = 'test/**/*.verify.test.ts';
/** Tests that kill servers and processes, and so start their own: `npm run test:faults`. */
const FAULTS = 'test/faults/**/*.test.ts';

const cores = availableParallelism();

export default defineConfig({
  // packages/mcp imports packages/client by its name.
  resolve: { alias: { 'image-job/node': `${import.meta.dirname}/packages/client/src/node.ts` } },
  test: {
    pool: 'forks',
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // What is waited for comes late on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    setupFiles: ['test/setup/leak-check.ts'],
    provide: { thorough: false },
    projects: [
      {
        extends: true,
        // The files of one worker share a process, because importing the service takes 4 s of processor time.
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [SERVICE, VERIFY, FAULTS],
          isolate: false,
          maxWorkers: cores,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: [SERVICE],
          globalSetup: ['test/setup/global.ts'],
          isolate: false,
          // They wait more than they work.
          maxWorkers: cores + 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'verify',
          include: [VERIFY, 'test/contract/fuzz.test.ts'],
          provide: { thorough: true },
          globalSetup: ['test/setup/global.ts'],
          maxWorkers: cores + 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: [FAULTS],
          globalSetup: ['test/faults/setup/global.ts'],
          testTimeout: 400_000,
          maxWorkers: cores + 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
