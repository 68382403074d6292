import type { EndpointRecord } from './records.ts';
import { issueWebhookSecret } from './webhook-signature.ts';

/** How long a secret that was replaced stays valid, so that receivers can change over. */
export const OLD_SECRET_HOURS = 24;
/** Replaced secrets that may be valid at once: each adds a signature to every delivery. */
export const MAX_REPLACED_SECRETS = 8;

/** A new secret, and until when the present one stays valid. */
export interface SecretRotation {
  secret: string;
  previousUntil: Date;
  /**
   * Whether the secrets before the present one stay valid as long as they would have; else they end
   * now.
   */
  keepOlder?: true;
}

export const newRotation = (): SecretRotation => ({
  secret: issueWebhookSecret(),
  previousUntil: new Date(Date.now() + OLD_SECRET_HOURS * 3600 * 1000),
});

type Secrets = Pick<EndpointRecord, 'secret' | 'previousSecret' | 'previousUntil' | 'olderSecrets'>;

/** The secrets that were replaced and are valid at this time, the one replaced last first. */
export function replacedSecrets(
  { previousSecret, previousUntil, olderSecrets = [] }: Omit<Secrets, 'secret'>,
  at: Date,
): { secret: string; until: Date }[] {
  const previous =
    previousSecret === null || previousUntil === null
      ? []
      : [{ secret: previousSecret, until: previousUntil }];
  return [...previous, ...olderSecrets].filter(({ until }) => at < until);
}

/**
 * All secrets that a delivery at this time is signed with: receivers may still verify with any of
 * them.
 */
export const signingSecrets = (endpoint: Secrets, at: Date): string[] => [
  endpoint.secret,
  ...replacedSecrets(endpoint, at).map(({ secret }) => secret),
];
