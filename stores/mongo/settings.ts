import type { SettingsStore } from '../settings-store.ts';
import type { Mongo } from './client.ts';
import { collections, type SettingDocument } from './documents.ts';

const API_ENABLED = 'api_enabled';
const DISABLED_TOOLS = 'disabled_tools';

export function createSettingsStore(mongo: Mongo): SettingsStore {
  const { settings } = collections(mongo.db);
  const tools = mongo.db.collection<SettingDocument & { value: string[] }>('settings');
  return {
    apiEnabled: async () => (await settings.findOne({ _id: API_ENABLED }))?.value !== false,
    setApiEnabled: async (enabled) => {
      await settings.updateOne({ _id: API_ENABLED }, { $set: { value: enabled } }, { upsert: true });
    },
    disabledTools: async () => {
      const value = (await settings.findOne({ _id: DISABLED_TOOLS }))?.value;
      return Array.isArray(value) ? value.map(String).sort() : [];
    },
    setToolEnabled: async (slug, enabled) => {
      const change = enabled ? { $pull: { value: slug } } : { $addToSet: { value: slug } };
      await tools.updateOne({ _id: DISABLED_TOOLS }, change, { upsert: true });
    },
  };
}
