import { ApiError } from '../../lib/contract/errors.ts';
import { type Egress, EgressError } from '../../lib/egress/egress.ts';

/**
 * @param field the name of the URL's field
 * @returns the URL as it is called
 * @throws ApiError webhook_url_rejected unless it is a public https URL
 */
export async function checkWebhookUrl(
  egress: Pick<Egress, 'check'>,
  field: string,
  url: string | null,
): Promise<string | null> {
  if (url === null) return null;
  try {
    return await egress.check(url);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new ApiError('webhook_url_rejected', `${field}: ${error.message}`, { cause: error });
  }
}
