import { afterAll, vi } from 'vitest';
import { checkAfterFile, forgetChecks, leaksOfFile, watchHandles } from './leaks.ts';

// Files share a process, and this file runs anew for each of them.
forgetChecks();
checkAfterFile(watchHandles());

// Registered before all hooks of the file, so that it runs after them.
afterAll(async () => {
  const faked = vi.isFakeTimers();
  vi.useRealTimers();
  const leaks = await leaksOfFile();
  if (faked) leaks.push('fake timers');
  if (leaks.length > 0) throw new Error(`The tests of this file left behind: ${leaks.join('; ')}`);
});
