import { rmSync, writeFileSync } from 'node:fs';

/** What `.stack/stack.json` tells other programs about the running stack. */
export type StackFile = {
  api_base: string;
  upload_url: string;
  demo_api_key: string;
  temporal_address: string;
  temporal_ui: string | null;
  mongodb_url: string;
  s3_endpoint: string;
  /** The settings `config.ts` lays under the environment of commands run beside the stack. */
  env: Record<string, string>;
};

/** Writes the file, readable by the user alone as it holds keys, and removes it when disposed. */
export function publishStack(file: string, stack: StackFile): Disposable {
  writeFileSync(file, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}
