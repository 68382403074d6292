import { breachesIn } from './imports.ts';
import { sourceFiles } from './source-files.ts';

// Part of `npm run lint`: prints every import that LAYERS forbids and exits with 1 if there is one.

const IGNORED = /^docs\/|^vitest/;
const breaches = sourceFiles()
  .filter((path) => !IGNORED.test(path))
  .flatMap((path) => breachesIn(path));
for (const breach of breaches) process.stderr.write(`${breach}\n`);
process.exitCode = breaches.length > 0 ? 1 : 0;
