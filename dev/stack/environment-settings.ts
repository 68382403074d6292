import { Environment } from '../../lib/process/config/config.ts';
import { SECRET_FILES } from '../../lib/process/config/secret-files.ts';

/** The variables of an environment that are settings of the service. */
export function settingsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    [...Object.keys(Environment.properties), ...SECRET_FILES].flatMap((name) =>
      env[name] ? [[name, env[name]]] : [],
    ),
  );
}
