/** Why a retention run removes no images, or no orphans of a bucket. */
export type HoldReason = 'installation' | 'inputs' | 'results';

export interface SettingsStore {
  apiEnabled(): Promise<boolean>;
  setApiEnabled(enabled: boolean): Promise<void>;
  /** Slugs of the tools that are switched off, in order. */
  disabledTools(): Promise<string[]>;
  setToolEnabled(slug: string, enabled: boolean): Promise<void>;
  /** Id of the installation that the database belongs to; undefined before the first set-up. */
  installation(): Promise<string | undefined>;
  /** Stores the id unless there is one. @returns the stored id */
  claimInstallation(id: string): Promise<string>;
  /** Replaces the id. */
  setInstallation(id: string): Promise<void>;
  /** What held back removals in the latest retention run, in order. */
  removalsHeld(): Promise<HoldReason[]>;
  setRemovalsHeld(reason: HoldReason, held: boolean): Promise<void>;
}
