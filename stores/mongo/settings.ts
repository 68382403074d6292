import type { SettingsStore } from '../ports.ts';
import type { Mongo } from './client.ts';
import { collections } from './documents.ts';

const API_ENABLED = 'api_enabled';

export function createSettingsStore(mongo: Mongo): SettingsStore {
  const { settings } = collections(mongo.db);
  return {
    apiEnabled: async () => (await settings.findOne({ _id: API_ENABLED }))?.value !== false,
    setApiEnabled: async (enabled) => {
      await settings.updateOne({ _id: API_ENABLED }, { $set: { value: enabled } }, { upsert: true });
    },
  };
}
