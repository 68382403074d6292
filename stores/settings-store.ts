export interface SettingsStore {
  apiEnabled(): Promise<boolean>;
  setApiEnabled(enabled: boolean): Promise<void>;
  /** Slugs of the tools that are switched off, in order. */
  disabledTools(): Promise<string[]>;
  setToolEnabled(slug: string, enabled: boolean): Promise<void>;
}
