import { readFileSync } from 'node:fs';
import { errorCode } from './variables.ts';

/** The variables that have secrets. NAME_FILE may name a file with the secret instead. */
export const SECRETS = [
  'MONGODB_URL',
  'TEMPORAL_API_KEY',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'GEMINI_API_KEY',
  'OPENAI_API_KEY',
  'BFL_API_KEY',
  'REPLICATE_API_TOKEN',
  'FAL_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

const fileVariable = (name: string) => `${name}_FILE`;
export const SECRET_FILES: readonly string[] = SECRETS.map(fileVariable);

export interface SecretFiles {
  /** The secrets that were read, by the name of their variable. */
  values: Record<string, string>;
  /** The variables that have a file without a usable secret, each with a line in `problems`. */
  unread: ReadonlySet<string>;
  problems: string[];
}

/**
 * Reads the secrets that are given as files. Messages quote neither a secret nor a path, because
 * somebody may have put the secret itself there.
 */
export function readSecretFiles(env: Readonly<Record<string, string | undefined>>): SecretFiles {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  const unread = new Set<string>();
  for (const name of SECRETS) {
    if (hasControls(env[name] ?? '')) problems.push(`${name}: ${HAS_CONTROLS}`);
    const path = env[fileVariable(name)];
    if (!path) continue;
    const read = readSecret(path);
    if ('secret' in read) values[name] = read.secret;
    else {
      unread.add(name);
      problems.push(`${fileVariable(name)}: the file ${read.problem}`);
    }
    if (env[name]) problems.push(`${name}, ${fileVariable(name)}: must not both be set`);
  }
  return { values, unread, problems };
}

const HAS_CONTROLS = 'has a line break or another control character in it';
const hasControls = (secret: string) => /\p{Cc}/u.test(secret);

/**
 * Editors and `kubectl create secret --from-file` leave a newline at the end, which is never part
 * of a secret.
 */
function readSecret(path: string): { secret: string } | { problem: string } {
  try {
    const secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (secret === '') return { problem: 'is empty' };
    return hasControls(secret) ? { problem: HAS_CONTROLS } : { secret };
  } catch (error) {
    return { problem: `cannot be read (${errorCode(error)})` };
  }
}
