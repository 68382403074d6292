import type { SettingsStore } from '../stores/ports.ts';

const POLL_MS = 1000;

/** Whether the operator has the API switched on; follows the setting within 2 s. */
export interface ApiSwitch extends AsyncDisposable {
  enabled(): boolean;
}

/** Reads the setting now and then every second; while it can't be read, the last known state holds. */
export async function watchApiSwitch(settings: SettingsStore): Promise<ApiSwitch> {
  let enabled = await settings.apiEnabled();
  let reading: Promise<void> | undefined;
  const read = async () => {
    try {
      enabled = await settings.apiEnabled();
    } catch {
      // MongoDB is away; the routes that need it say so themselves.
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
