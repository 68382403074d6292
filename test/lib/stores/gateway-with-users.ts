import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import { obtainBinaries } from '../../../dev/obtain/binaries.ts';
import { Child } from '../../../dev/process/child.ts';
import { rememberedPorts } from '../../../dev/process/tcp-ports.ts';
import { environment } from '../../../lib/process/config/config.ts';
import { withResources } from '../../../lib/process/resources.ts';

const context = { env: environment(), say: () => {}, signal: new AbortController().signal };
const ROOT = { accessKeyId: 'root', secretAccessKey: 'the-secret-of-root' };

export interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface GatewayWithUsers {
  endpoint: string;
  /** Keys of the user who may do everything. */
  root: Keys;
  /** A user without a policy, which may do nothing. */
  createUser(name: string): Promise<Keys>;
  /** Replaces the policy of a user. */
  setPolicy(name: string, policy: object): Promise<void>;
}

/** versitygw with its IAM service, which applies policies to users as AWS does. */
export function startGatewayWithUsers(folder: string): Promise<GatewayWithUsers & AsyncDisposable> {
  return withResources(async (keep) => {
    const { versitygw } = await obtainBinaries(['versitygw'], context);
    const ports = keep(rememberedPorts(join(folder, 'ports.json')));
    const start = async (name: string, args: (address: string) => string[]): Promise<string> => {
      const address = `127.0.0.1:${await ports.choose(name)}`;
      await keep(createChild(folder, name, versitygw, address, args(address))).start();
      return address;
    };
    for (const data of ['users', 'objects']) mkdirSync(join(folder, data));
    const socket = join(folder, 'iam.sock');
    const iam = await start('iam', (address) => [
      ...['--port', address, 'iam', '--dir', join(folder, 'users'), '--private-ports', socket],
    ]);
    const s3 = await start('s3', (address) => [
      // Without its cache, so that a changed policy applies to the next request.
      ...['--port', address, '--iam-standalone-endpoint', socket, '--iam-cache-disable'],
      ...['posix', join(folder, 'objects')],
    ]);
    const call = callerOf(iam);
    return {
      endpoint: `http://${s3}`,
      root: ROOT,
      createUser: async (UserName) => {
        await call({ Action: 'CreateUser', UserName });
        const answer = await call({ Action: 'CreateAccessKey', UserName });
        const field = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(answer)?.[1] ?? '';
        return { accessKeyId: field('AccessKeyId'), secretAccessKey: field('SecretAccessKey') };
      },
      setPolicy: async (UserName, policy) => {
        const PolicyDocument = JSON.stringify(policy);
        await call({ Action: 'PutUserPolicy', UserName, PolicyName: 'only', PolicyDocument });
      },
    };
  });
}

function createChild(folder: string, name: string, command: string, address: string, args: string[]): Child {
  const env = { ...context.env, ROOT_ACCESS_KEY: ROOT.accessKeyId, ROOT_SECRET_KEY: ROOT.secretAccessKey };
  // The IAM service redirects a browser to its vendor's site.
  const probe = async (signal: AbortSignal) => {
    const response = await fetch(`http://${address}/`, { signal, redirect: 'manual' });
    await response.body?.cancel();
  };
  const times = { readyWithinMs: 30_000, graceMs: 5_000 };
  const host = { ...context, logFile: join(folder, `${name}.log`), pidFolder: join(folder, 'pids') };
  return new Child({ name, command, args, env, probe, ...times }, host);
}

/**
 * Calls of the IAM API, signed as the root user.
 * @throws Error with the answer, unless it is 200
 */
function callerOf(address: string) {
  return async (parameters: Record<string, string>): Promise<string> => {
    const [hostname = '', port] = address.split(':');
    const body = new URLSearchParams({ ...parameters, Version: '2010-05-08' }).toString();
    const headers = { host: address, 'content-type': 'application/x-www-form-urlencoded' };
    const client = new S3Client({ endpoint: `http://${address}`, region: 'us-east-1', credentials: ROOT });
    const scheme = { name: 'sigv4', signingName: 'iam', signingRegion: 'us-east-1', properties: {} };
    const signer = await client.config.signer(scheme);
    const request = { method: 'POST', protocol: 'http:', hostname, port: Number(port), path: '/', query: {} };
    const signed = await signer.sign({ ...request, headers, body });
    client.destroy();
    const response = await fetch(`http://${address}/`, { method: 'POST', headers: signed.headers, body });
    const answer = await response.text();
    if (response.status !== 200) throw new Error(`${parameters.Action}: ${answer}`);
    return answer;
  };
}
