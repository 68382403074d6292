import { createGenerators } from '../../lib/generators/registry.ts';
import {
  type Config,
  ConfigError,
  environmentProblems,
  loadConfig,
  unusable,
} from '../../lib/process/config/config.ts';
import type { ServerName } from '../obtain/versions.ts';
import { missingServers, withoutRemote } from '../servers/missing.ts';
import { withDefaults } from '../servers/start.ts';
import { settingsOf } from './environment-settings.ts';

/** Stand-ins for the addresses of servers that are not running yet. */
const STAND_INS: Record<ServerName, Record<string, string>> = {
  temporal: { TEMPORAL_ADDRESS: '127.0.0.1:7233' },
  mongod: { MONGODB_URL: 'mongodb://127.0.0.1:27017/' },
  versitygw: {
    S3_ENDPOINT: 'http://127.0.0.1:7070',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
  },
};

/**
 * Checks the caller's settings before a server is started, the generators' as well.
 * @throws {ConfigError} with every problem
 */
export async function checkEnvironment(caller: NodeJS.ProcessEnv): Promise<Config> {
  const standIns = missingServers(caller).flatMap((name) => [withoutRemote(name), STAND_INS[name]]);
  const env = withDefaults(Object.assign(settingsOf(caller), ...standIns));
  const problems = environmentProblems(env);
  if (problems.length > 0) throw new ConfigError(unusable(problems));
  const config = loadConfig(env);
  await using _ = createGenerators(config.generators);
  return config;
}
