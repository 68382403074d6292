import type { HoldReason, SettingsStore } from '../stores.ts';
import type { Mongo } from './client.ts';
import { collections, type SettingDocument } from './documents.ts';

const API_ENABLED = 'api_enabled';
const DISABLED_TOOLS = 'disabled_tools';
const INSTALLATION = 'installation';
const REMOVALS_HELD = 'removals_held';

export function createSettingsStore(mongo: Mongo): SettingsStore {
  const { settings } = collections(mongo.db);
  const sets = mongo.db.collection<SettingDocument & { value: string[] }>('settings');
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

  async function membersOf(_id: string): Promise<string[]> {
    const value = (await settings.findOne({ _id }))?.value;
    return Array.isArray(value) ? value.map(String).sort() : [];
  }
  async function setMember(_id: string, member: string, isIn: boolean): Promise<void> {
    const change = isIn ? { $addToSet: { value: member } } : { $pull: { value: member } };
    await sets.updateOne({ _id }, change, { upsert: true });
  }

  return {
    apiEnabled: async () => (await settings.findOne({ _id: API_ENABLED }))?.value !== false,
    setApiEnabled: async (enabled) => {
      await settings.updateOne({ _id: API_ENABLED }, { $set: { value: enabled } }, { upsert: true });
    },
    disabledTools: () => membersOf(DISABLED_TOOLS),
    setToolEnabled: (slug, enabled) => setMember(DISABLED_TOOLS, slug, !enabled),

    installation: async () => textOf((await settings.findOne({ _id: INSTALLATION }))?.value),
    claimInstallation: async (id) => {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const claim = { $setOnInsert: { value: id } };
      const stored = await settings.findOneAndUpdate({ _id: INSTALLATION }, claim, options);
      return textOf(stored?.value) ?? id;
    },
    setInstallation: async (id) => {
      await settings.updateOne({ _id: INSTALLATION }, { $set: { value: id } }, { upsert: true });
    },

    removalsHeld: async () => (await membersOf(REMOVALS_HELD)) as HoldReason[],
    setRemovalsHeld: (reason, held) => setMember(REMOVALS_HELD, reason, held),
  };
}
