import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PortTakenError, rememberedPorts } from '../../stack/run/ports.ts';
import { temporaryFolder } from './helpers.ts';

const HOST = '127.0.0.1';
const portsFile = () => join(temporaryFolder(), 'ports.json');

async function listenOn(port: number) {
  const server = createServer().listen(port, HOST);
  await once(server, 'listening');
  return server;
}

async function chosenOnce(file: string, preferred?: number): Promise<number> {
  using ports = rememberedPorts(file);
  return await ports.choose('api', preferred);
}

test('a port is the same at the next start, and another when somebody else has taken it', async () => {
  const file = portsFile();
  const port = await chosenOnce(file);
  expect(await chosenOnce(file)).toBe(port);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ api: port });
  await using _ = await listenOn(port);
  expect(await chosenOnce(file)).not.toBe(port);
});

test('two names never have one port', async () => {
  using ports = rememberedPorts(portsFile());
  const port = await ports.choose('api');
  expect(await ports.choose('other', port)).not.toBe(port);
});

test('a port that one stack has chosen is passed over by others, although nothing listens on it yet', async () => {
  const usual = await chosenOnce(portsFile());
  using first = rememberedPorts(portsFile());
  using second = rememberedPorts(portsFile());
  expect(await first.choose('api', usual)).toBe(usual);
  expect(await second.choose('api', usual)).not.toBe(usual);
});

test('the port that is asked for is taken or refused in one line, never exchanged', async () => {
  const port = await chosenOnce(portsFile());
  using first = rememberedPorts(portsFile());
  using second = rememberedPorts(portsFile());
  expect(await first.take(port, HOST)).toBe(port);
  await expect(second.take(port, HOST)).rejects.toThrow(PortTakenError);
  first[Symbol.dispose]();
  await using _ = await listenOn(port);
  await expect(second.take(port, HOST)).rejects.toThrow(
    /^Port \d+ of 127\.0\.0\.1 is in use or not permitted\. .*$/,
  );
});
