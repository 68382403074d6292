import type { SettingsStore } from '../lib/stores/stores.ts';

const POLL_MS = 1000;

/** Whether the operator has the API switched on. Follows the setting within 2 s. */
export interface ApiSwitch extends AsyncDisposable {
  enabled(): boolean;
}

/** Which tools the operator has switched off. Follows the setting within 2 s. */
export interface ToolSwitch extends AsyncDisposable {
  isDisabled(slug: string): boolean;
}

export async function watchApiSwitch(settings: SettingsStore): Promise<ApiSwitch> {
  const { current, ...watch } = await watchSetting(settings.apiEnabled);
  return { ...watch, enabled: current };
}

export async function watchToolSwitch(settings: SettingsStore): Promise<ToolSwitch> {
  const { current, ...watch } = await watchSetting(async () => new Set(await settings.disabledTools()));
  return { ...watch, isDisabled: (slug) => current().has(slug) };
}

/** Reads a setting now and every second. While it cannot be read, the last known value applies. */
async function watchSetting<T>(readSetting: () => Promise<T>) {
  let value = await readSetting();
  let reading: Promise<void> | undefined;
  const read = async () => {
    try {
      value = await readSetting();
    } catch {
      // MongoDB is unavailable. Routes that need it report that themselves.
    } finally {
      reading = undefined;
    }
  };
  const timer = setInterval(() => {
    reading ??= read();
  }, POLL_MS);
  timer.unref();
  return {
    current: () => value,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await reading;
    },
  };
}
