import type { AccountStore } from './account-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { GeneratorCallStore } from './generator-call-store.ts';
import type { HistoryStore } from './history-store.ts';
import type { JobStore } from './job-store.ts';
import type { KeyStore } from './key-store.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { OrphanStore } from './orphan-store.ts';
import type { PackStore } from './pack-store.ts';
import type { RemovalStore } from './removal-store.ts';
import type { RetentionStore } from './retention-store.ts';
import type { SettingsStore } from './settings-store.ts';

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
