import { createResources, type Resources } from '../../lib/process/resources.ts';
import { checkAfterFile } from './leaks.ts';

/** Resources of a test file, for its `afterAll`. A file that does not close them fails. */
export function closers() {
  const resources = createResources();
  let open = 0;
  checkAfterFile(() => (open > 0 ? [`${open} × part of closers()`] : []));
  const use: Resources['use'] = (resource) => {
    open += 1;
    return resources.use(resource);
  };
  return {
    use,
    defer(close: () => unknown): void {
      open += 1;
      resources.defer(close);
    },
    async close(): Promise<void> {
      open = 0;
      await resources[Symbol.asyncDispose]();
    },
  };
}
