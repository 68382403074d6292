import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { fetch } from 'undici';
import type { Child } from '../run/child.ts';
import { type Surroundings, startChild } from './part.ts';

const Credentials = Type.Object({ accessKeyId: Type.String(), secretAccessKey: Type.String() });

type Started = { child: Child; endpoint: string; accessKeyId: string; secretAccessKey: string };

/** Starts the S3 gateway on a plain folder. Its root keys are made at the first start and kept. */
export async function startVersitygw(binary: string, around: Surroundings): Promise<Started> {
  const port = await around.ports.choose('versitygw');
  const credentials = keepCredentials(around.folder.file('s3-credentials.json'));
  const objects = around.folder.file('s3');
  mkdirSync(objects, { recursive: true });
  const endpoint = `http://127.0.0.1:${port}`;
  const child = await startChild(
    {
      name: 'versitygw',
      command: binary,
      args: [
        '--port',
        `127.0.0.1:${port}`,
        '--health',
        '/health',
        '--keep-alive',
        '--quiet',
        'posix',
        objects,
      ],
      env: {
        ...around.env,
        ROOT_ACCESS_KEY: credentials.accessKeyId,
        ROOT_SECRET_KEY: credentials.secretAccessKey,
      },
      probe: (signal) => answersOk(`${endpoint}/health`, signal),
      readyWithinMs: 30_000,
      graceMs: 5_000,
    },
    around,
  );
  return { child, endpoint, ...credentials };
}

async function answersOk(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}

function keepCredentials(file: string) {
  if (existsSync(file)) return Value.Parse(Credentials, JSON.parse(readFileSync(file, 'utf8')));
  const made = {
    accessKeyId: randomBytes(10).toString('hex'),
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
  writeFileSync(file, JSON.stringify(made), { mode: 0o600 });
  return made;
}
