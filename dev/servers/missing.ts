import type { ServerName } from '../obtain/versions.ts';

/** A server is not started when one of these variables is set. */
const ADDRESSES: Record<ServerName, readonly string[]> = {
  temporal: ['TEMPORAL_ADDRESS'],
  mongod: ['MONGODB_URL', 'MONGODB_URL_FILE'],
  versitygw: ['S3_ENDPOINT'],
};

/** Settings for a remote server, cleared when a local one is started. */
const REMOTE_SETTINGS: Record<ServerName, readonly string[]> = {
  temporal: [
    'TEMPORAL_API_KEY',
    'TEMPORAL_API_KEY_FILE',
    'TEMPORAL_TLS',
    'TEMPORAL_TLS_CA_FILE',
    'TEMPORAL_TLS_CERT_FILE',
    'TEMPORAL_TLS_KEY_FILE',
    'TEMPORAL_TLS_SERVER_NAME',
  ],
  mongod: ['MONGODB_TLS_CA_FILE', 'MONGODB_TLS_CERT_KEY_FILE'],
  versitygw: ['S3_ACCESS_KEY_ID_FILE', 'S3_SECRET_ACCESS_KEY_FILE', 'S3_PATH_STYLE', 'S3_MANAGE_BUCKETS'],
};

/** The servers whose address the environment does not have, which are started. */
export const missingServers = (env: NodeJS.ProcessEnv): ServerName[] =>
  (Object.keys(ADDRESSES) as ServerName[]).filter(
    (name) => !ADDRESSES[name].some((variable) => env[variable]),
  );

/** The settings for a remote server, each empty. */
export const withoutRemote = (name: ServerName): Record<string, string> =>
  Object.fromEntries(REMOTE_SETTINGS[name].map((variable) => [variable, '']));
