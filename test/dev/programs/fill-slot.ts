import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cacheInto, slot } from '../../../dev/obtain/cache.ts';

/** Fills a slot of the cache slowly, records each build in a journal and prints the path. */
const [cache = '', journal = '', ms = '0'] = process.argv.slice(2);
const strategy = cacheInto(slot(cache, 'tool', 'v1'), 'slow build', async (folder) => {
  appendFileSync(journal, 'made\n');
  process.stdout.write('making\n');
  await delay(Number(ms));
  const path = join(folder, 'built');
  writeFileSync(path, '#!/bin/sh\necho version 1\n');
  return path;
});
const path = await strategy.attempt({ signal: new AbortController().signal, report: () => {} });
process.stdout.write(`${path}\n`);
