import type { Context } from './edit.ts';
import { printable, printableJson, printableLines } from './printable.ts';

export async function showTools(slug: string | undefined, { client, stdout, json, signal }: Context) {
  const found = slug === undefined ? await client.tools({ signal }) : await client.tool(slug, { signal });
  if (json) return void stdout.write(`${printableJson(found)}\n`);
  if (Array.isArray(found))
    for (const tool of found) stdout.write(`${printable(tool.slug)}  ${tool.images_cost}\n`);
  else {
    const options = JSON.stringify(found.options, null, 2);
    stdout.write(`${printable(found.title)}: ${printable(found.description)}\n${printableLines(options)}\n`);
  }
}

export async function showAccount({ client, stdout, json, signal }: Context) {
  const account = await client.account({ signal });
  stdout.write(
    json ? `${printableJson(account)}\n` : `${printable(account.name)}: ${account.image_credits} images\n`,
  );
}
