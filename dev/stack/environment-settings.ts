import { Environment } from '../../config.ts';

/** The variables of an environment that are settings of the service. */
export function settingsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.keys(Environment.properties).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
}
