import { readFileSync } from 'node:fs';
import { ConfigError, environment } from '../lib/process/config/config.ts';

const STACK_FILE = '.stack/stack.json';

/**
 * The environment of the commands: that of this process or, without MONGODB_URL, that of the stack
 * which `npm start` runs in this folder, overridden by this process's.
 * @throws ConfigError when there is neither
 */
export function commandEnvironment(): NodeJS.ProcessEnv {
  const own = environment();
  if (own.MONGODB_URL || own.MONGODB_URL_FILE) return own;
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== ''));
  return { ...stackEnvironment(), ...given };
}

function stackEnvironment(): Record<string, string> {
  let file: string;
  try {
    file = readFileSync(STACK_FILE, 'utf8');
  } catch {
    throw new ConfigError(
      `MONGODB_URL is not set and no stack of \`npm start\` was found in ${STACK_FILE}.\n` +
        'Run `npm start` in this folder, or set the variables of .env.example.',
    );
  }
  return (JSON.parse(file) as { env: Record<string, string> }).env;
}
