import { accessSync, constants } from 'node:fs';
import { errorCode } from './error-code.ts';

/** PEM files that are read when a process connects. */
const PEM_FILES = [
  'MONGODB_TLS_CA_FILE',
  'MONGODB_TLS_CERT_KEY_FILE',
  'TEMPORAL_TLS_CA_FILE',
  'TEMPORAL_TLS_CERT_FILE',
  'TEMPORAL_TLS_KEY_FILE',
] as const;

type PemFile = (typeof PEM_FILES)[number];
export type ServerEnvironment = Readonly<
  Partial<Record<PemFile | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY', string>>
>;

/**
 * Problems with the connections to servers that the schema cannot express, a line each.
 * @param unread variables whose files have no usable secret, which is reported elsewhere
 */
export function serverProblems(env: ServerEnvironment, unread: ReadonlySet<string>): string[] {
  const isGiven = (name: keyof ServerEnvironment) => Boolean(env[name]) || unread.has(name);
  const pairs = [
    ['TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'],
    ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ] as const;
  return [
    ...PEM_FILES.flatMap((name) => unreadable(name, env[name])),
    ...pairs
      .filter(([one, other]) => isGiven(one) !== isGiven(other))
      .map((pair) => `${pair.join(', ')}: must be set together`),
  ];
}

function unreadable(name: string, path = ''): string[] {
  try {
    if (path !== '') accessSync(path, constants.R_OK);
    return [];
  } catch (error) {
    return [`${name}: the file cannot be read (${errorCode(error)})`];
  }
}
