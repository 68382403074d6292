import { rmSync, writeFileSync } from 'node:fs';

/** Content of `.stack/stack.json`: how other programs reach the running stack. */
export type StackFile = {
  api_base: string;
  upload_url: string;
  demo_account_id: string;
  demo_api_key: string;
  temporal_address: string;
  temporal_ui: string | null;
  mongodb_url: string;
  s3_endpoint: string;
  /** URL of the metrics of each process. */
  metrics: Record<'api' | 'worker' | 'renderer', string>;
  /** Settings of the stack, which the operator's commands use when they are run without MONGODB_URL. */
  env: Record<string, string>;
};

/** Writes the file, which contains keys and is readable by this user only, and removes it when disposed. */
export function publishStack(file: string, stack: StackFile): Disposable {
  writeFileSync(file, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}
