import { afterAll } from 'vitest';
import { checkAfterFile, leaksOfFile, watchHandles } from './leaks.ts';

checkAfterFile(watchHandles());

// Registered before all hooks of the file, so that it runs after them.
afterAll(async () => {
  const leaks = await leaksOfFile();
  if (leaks.length > 0) throw new Error(`The tests of this file left behind: ${leaks.join('; ')}`);
});
