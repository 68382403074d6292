import type { AccountStore, KeyStore } from './account-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { GeneratorCallStore } from './generator-call-store.ts';
import type { JobStore } from './job-store.ts';
import type { LedgerStore, PackStore } from './ledger-store.ts';
import type { HistoryStore, OrphanStore, RemovalStore, RetentionStore } from './retention-store.ts';

/** All records of the service. */
export interface Stores {
  accounts: AccountStore;
  deliveries: DeliveryStore;
  generatorCalls: GeneratorCallStore;
  histories: HistoryStore;
  keys: KeyStore;
  jobs: JobStore;
  ledger: LedgerStore;
  orphans: OrphanStore;
  packs: PackStore;
  removals: RemovalStore;
  retention: RetentionStore;
  settings: SettingsStore;
}

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
  /** The reasons why the latest retention run held back removals, in order. */
  removalsHeld(): Promise<HoldReason[]>;
  setRemovalsHeld(reason: HoldReason, held: boolean): Promise<void>;
}
