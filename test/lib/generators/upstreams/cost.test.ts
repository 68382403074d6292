import { expect, test } from 'vitest';
import { startBfl } from './bfl.ts';
import { renderOf } from './fake.ts';

test.each([
  ['4.5', 0.045],
  ['0', 0],
  ['-4.5', null],
  ['1e9', null],
  ['1e999', null],
  ['"4.5"', null],
])('a cost of %s credits is recorded as %s US dollars', async (credits, costUsd) => {
  await using fake = await startBfl();
  const submitted = { id: 't1', polling_url: `${fake.server.origin}/v1/get_result?id=t1` };
  const body = JSON.stringify(submitted).replace('}', `,"cost":${credits}}`);
  fake.replies.submit = (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  expect((await fake.generator.render(await renderOf())).costUsd).toBe(costUsd);
});
