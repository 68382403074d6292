import type { SettingsStore } from '../stores/ports.ts';

const POLL_MS = 1000;

/** Whether the operator has the API switched on. Follows the setting within 2 s. */
export interface ApiSwitch extends AsyncDisposable {
  enabled(): boolean;
}

/** Reads the setting now and every second. While it cannot be read, the last known value applies. */
export async function watchApiSwitch(settings: SettingsStore): Promise<ApiSwitch> {
  let enabled = await settings.apiEnabled();
  let reading: Promise<void> | undefined;
  const read = async () => {
    try {
      enabled = await settings.apiEnabled();
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
    enabled: () => enabled,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await reading;
    },
  };
}
