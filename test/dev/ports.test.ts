import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PortTakenError, rememberedPorts } from '../../dev/process/tcp-ports.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const HOST = '127.0.0.1';
const portsFile = () => join(temporaryFolder(), 'ports.json');

async function listenOn(port: number) {
  const server = createServer().listen(port, HOST);
  await once(server, 'listening');
  return server;
}

async function chooseOnce(file: string, preferred?: number): Promise<number> {
  using ports = rememberedPorts(file);
  return await ports.choose('api', preferred);
}

test('a port is kept at the next start, unless another program is using it', async () => {
  const file = portsFile();
  const port = await chooseOnce(file);
  expect(await chooseOnce(file)).toBe(port);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ api: port });
  await using _ = await listenOn(port);
  expect(await chooseOnce(file)).not.toBe(port);
});

test('the preferred port is used again once it is free', async () => {
  const file = portsFile();
  const preferred = await chooseOnce(portsFile());
  let moved: number;
  {
    await using _ = await listenOn(preferred);
    moved = await chooseOnce(file, preferred);
  }
  expect(moved).not.toBe(preferred);
  expect(await chooseOnce(file, preferred)).toBe(preferred);
});

test('two names never share a port', async () => {
  using ports = rememberedPorts(portsFile());
  const port = await ports.choose('api');
  expect(await ports.choose('other', port)).not.toBe(port);
});

test('other stacks skip a port that one stack has chosen, even before it listens', async () => {
  const preferred = await chooseOnce(portsFile());
  using first = rememberedPorts(portsFile());
  using second = rememberedPorts(portsFile());
  expect(await first.choose('api', preferred)).toBe(preferred);
  expect(await second.choose('api', preferred)).not.toBe(preferred);
});

test('a requested port is taken, or refused in one line, but never replaced', async () => {
  const port = await chooseOnce(portsFile());
  using first = rememberedPorts(portsFile());
  using second = rememberedPorts(portsFile());
  expect(await first.take(port, HOST)).toBe(port);
  await expect(second.take(port, HOST)).rejects.toThrow(PortTakenError);
  await expect(second.take(port, HOST)).rejects.toThrow('is reserved by another stack of yours, process ');
  first[Symbol.dispose]();
  await using _ = await listenOn(port);
  await expect(second.take(port, HOST)).rejects.toThrow(
    /^Port \d+ of 127\.0\.0\.1 is in use by another program\. .*$/,
  );
});
