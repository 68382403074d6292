import { ask, canAsk } from './confirm.ts';
import type { Context } from './context.ts';
import type { Extra } from './progress.ts';

/**
 * Refuses a URL that could leak the conversation. The host of a URL learns the whole URL, and a
 * page that the assistant reads may tell it to write secrets there. So the operator allows the
 * origin, or the user agrees to the whole URL.
 * @throws when the service may not fetch the URL
 */
export async function checkUrl(url: URL, context: Context, extra: Extra): Promise<void> {
  const { imageOrigins, session, server } = context;
  if (imageOrigins.includes(url.origin) || session.urls.has(url.href)) return;
  if (!canAsk(server.server))
    throw new Error(
      `${url.origin} is not in IMAGE_JOB_IMAGE_ORIGINS, and this client cannot ask its user about a URL. ` +
        'Nothing was fetched. Have the photo saved in a folder that may be used, or the origin allowed.',
    );
  const message = `${url.host} would be asked for a photo, and learns all of this URL: ${url.href} Go on?`;
  if (!(await ask(server.server, { message, title: `Fetch from ${url.host}` }, extra)))
    throw new Error(`The user did not agree to fetch the photo from ${url.host}. Nothing was fetched.`);
  session.urls.add(url.href);
}
