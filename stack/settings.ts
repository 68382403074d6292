import { Environment } from '../config.ts';

/** The service's own settings out of an environment, and nothing else of it. */
export function settingsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.keys(Environment.properties).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
}
