import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { fetch } from 'undici';
import type { Child } from '../process/child.ts';
import { type ServerContext, startChild } from './context.ts';

const Credentials = Type.Object({ accessKeyId: Type.String(), secretAccessKey: Type.String() });

type Started = { child: Child; endpoint: string; accessKeyId: string; secretAccessKey: string };

/**
 * Starts the S3 gateway on a plain folder. Its root keys are created on the first start and kept.
 */
export async function startVersitygw(binary: string, context: ServerContext): Promise<Started> {
  const port = await context.ports.choose('versitygw');
  const credentials = loadCredentials(context.folder.file('s3-credentials.json'));
  const objects = context.folder.file('s3');
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
        ...context.env,
        ROOT_ACCESS_KEY: credentials.accessKeyId,
        ROOT_SECRET_KEY: credentials.secretAccessKey,
      },
      probe: (signal) => answersOk(`${endpoint}/health`, signal),
      readyWithinMs: 30_000,
      graceMs: 5_000,
    },
    context,
  );
  return { child, endpoint, ...credentials };
}

async function answersOk(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}

function loadCredentials(file: string) {
  if (existsSync(file)) return Value.Parse(Credentials, JSON.parse(readFileSync(file, 'utf8')));
  const credentials = {
    accessKeyId: randomBytes(10).toString('hex'),
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
  return credentials;
}
