import { delimiter, isAbsolute } from 'node:path';

export interface Config {
  apiKey: string;
  baseUrl: string;
  /** Folders whose files may be read and written. Undefined: the roots of the client. */
  folders: string[] | undefined;
  /** Origins from which the service may fetch photos without a question. */
  imageOrigins: string[];
  /** Origins of web pages that may use the HTTP transport. */
  origins: string[];
  /** The token that clients of the HTTP transport must send. Undefined: none is asked for. */
  token: string | undefined;
}

/** The environment or the command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws {UsageError} with every problem of the environment */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const required = (name: string, what: string) => {
    const value = env[name] ?? '';
    if (value === '') problems.push(`${name} is missing: ${what}.`);
    return value;
  };
  const apiKey = required('IMAGE_JOB_API_KEY', 'an API key of the account');
  const baseUrl = required('IMAGE_JOB_BASE_URL', 'the URL of the service, which ends with /api');
  const folders = listOf(env.IMAGE_JOB_DIRS, delimiter);
  for (const folder of folders ?? [])
    if (!isAbsolute(folder)) problems.push(`IMAGE_JOB_DIRS: ${folder} must be an absolute path.`);
  const originsOf = (name: string) => {
    const origins = listOf(env[name], ',') ?? [];
    for (const origin of origins)
      if (!URL.canParse(origin) || new URL(origin).origin !== origin)
        problems.push(`${name}: ${origin} must be an origin such as https://app.example.com.`);
    return origins;
  };
  const imageOrigins = originsOf('IMAGE_JOB_IMAGE_ORIGINS');
  const origins = originsOf('IMAGE_JOB_MCP_ORIGINS');
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const token = env.IMAGE_JOB_MCP_TOKEN || undefined;
  return { apiKey, baseUrl, folders, imageOrigins, origins, token };
}

/** Undefined when the variable is not set or empty. */
function listOf(text: string | undefined, separator: string): string[] | undefined {
  const parts = (text ?? '').split(separator).filter((part) => part !== '');
  return parts.length > 0 ? parts : undefined;
}
