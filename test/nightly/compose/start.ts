import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import type { ObtainContext } from '../../../dev/obtain/chain.ts';
import { Child } from '../../../dev/process/child.ts';
import { runCommand } from '../../../dev/process/command.ts';
import { services } from '../../repo/compose-file.ts';
import { interpolate } from './interpolate.ts';
import type { Places } from './places.ts';

/** What the images run when the file names no command, or before the command that it names. */
const IMAGE_COMMANDS: Record<string, string[]> = {
  postgres: ['postgres-entrypoint'],
  s3: ['versitygw'],
  temporal: ['temporal-server', 'start'],
};
/** nobody */
const UNPRIVILEGED = 65_534;

export interface Recipe {
  places: Places;
  /** The folder with the programs of the images. */
  bin: string;
  /** What the image of the service has as /app. */
  app: string;
  /** The variables of `.env`. */
  variables: Record<string, string>;
  context: ObtainContext;
}

/** A service of the file as a command of this machine. */
async function commandOf(
  name: string,
  { places, bin, app, variables, context }: Recipe,
  command = services[name]?.command ?? [],
) {
  const service = services[name];
  if (service === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  const own = (text: string) => places.local(interpolate(text, variables));
  const image = service.entrypoint?.map(own) ?? IMAGE_COMMANDS[name] ?? [];
  const environment = Object.entries(service.environment).map(([key, value]) => [key, own(value)]);
  return {
    words: asUser(name, places, [...image, ...command.map(own)]),
    check: service.healthcheck?.test.map(own) ?? [],
    cwd: service.build === undefined ? places.folder : app,
    env: {
      PATH: `${bin}:${context.env.PATH}`,
      HOME: join(places.folder, 'tmp'),
      ...Object.fromEntries(environment),
      ...(await extraOf(name, places)),
    },
  };
}

/** PostgreSQL refuses to run as root. */
function asUser(name: string, { folder }: Places, words: string[]): string[] {
  if (name !== 'postgres' || process.getuid?.() !== 0) return words;
  chmodSync(folder, 0o711);
  chownSync(join(folder, 'postgres'), UNPRIVILEGED, UNPRIVILEGED);
  return ['setpriv', `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups', ...words];
}

/** Ports and folders that are fixed in an image. */
async function extraOf(name: string, places: Places): Promise<Record<string, string>> {
  const { folder, ports, port } = places;
  if (name === 'mongo') return { DATA: join(folder, 'mongo'), FIRST_PORT: String(await port('mongo-first')) };
  if (name === 'postgres')
    return { PGDATA: join(folder, 'postgres'), PGHOST: '127.0.0.1', PGPORT: String(ports.postgres) };
  if (name !== 'temporal') return {};
  const inner = ['FRONTEND_HTTP', 'FRONTEND_MEMBERSHIP'].concat(
    ['HISTORY', 'MATCHING', 'WORKER'].flatMap((role) => [`${role}_GRPC`, `${role}_MEMBERSHIP`]),
  );
  const env: Record<string, string> = { FRONTEND_GRPC_PORT: String(ports.temporal) };
  for (const one of inner) env[`${one}_PORT`] = String(await port(one));
  return env;
}

/**
 * Runs a service that ends, or another command in its place. @returns what it prints
 * @throws Error with the end of its output unless its code is 0
 */
export async function runOnce(name: string, recipe: Recipe, command?: string[]): Promise<string> {
  const { words, cwd, env } = await commandOf(name, recipe, command);
  const [program = '', ...args] = words;
  return runCommand(program, args, { cwd, env, signal: recipe.context.signal });
}

/** Starts a server and waits until the health check of the file succeeds. */
export async function startServer(name: string, recipe: Recipe): Promise<Child> {
  const { words, check, cwd, env } = await commandOf(name, recipe);
  const [command = '', ...args] = words;
  const [kind, ...test] = check;
  const [program = '', ...rest] = kind === 'CMD-SHELL' ? ['bash', '-c', ...test] : test;
  const probe = (signal: AbortSignal) => runCommand(program, rest, { cwd, env, signal });
  const { folder } = recipe.places;
  const host = {
    ...recipe.context,
    logFile: join(folder, 'logs', `${name}.log`),
    pidFolder: join(folder, 'pids'),
  };
  const child = new Child(
    { name, command, args, env, cwd, probe, readyWithinMs: 120_000, graceMs: 40_000 },
    host,
  );
  await child.start();
  return child;
}
