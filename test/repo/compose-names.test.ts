import { existsSync, readFileSync } from 'node:fs';
import Schema from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { Environment, loadConfig } from '../../lib/process/config/config.ts';
import { CLOSING_MS } from '../../lib/process/process.ts';
import { REQUIRED } from '../setup/required.ts';
import { configs, document, file, networks, services, volumes } from './compose-file.ts';

const all = Object.values(services);
const built = all.filter(({ build }) => build !== undefined);
const settings = Object.keys(Environment.properties);

/** Settings that docker-compose.yml decides, because it has the servers and the image. */
const FIXED = {
  'the addresses of its own servers': ['MONGODB_URL', 'TEMPORAL_ADDRESS', 'S3_ENDPOINT'],
  'connections to other servers, which need other networks too': [
    ...['MONGODB_TLS_CA_FILE', 'MONGODB_TLS_CERT_KEY_FILE', 'TEMPORAL_API_KEY', 'TEMPORAL_TLS'],
    ...['TEMPORAL_TLS_CA_FILE', 'TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'],
    ...['TEMPORAL_TLS_SERVER_NAME', 'S3_PATH_STYLE', 'S3_MANAGE_BUCKETS'],
  ],
  'the ports within a container': ['API_HOST', 'API_PORT', 'PORT', 'HEALTH_PORT'],
  'what is in the image': ['WORKFLOW_BUNDLE', 'LOG_PRETTY'],
};

test('docker-compose.yml follows the compose specification', () => {
  const schema = Schema.Compile(JSON.parse(readFileSync('test/repo/compose-spec.json', 'utf8')));
  expect(schema.Errors(document)[1]).toEqual([]);
  expect(schema.Check({ services: { api: { image: 'a', helthcheck: {} } } })).toBe(false);
});

describe('the variables of docker-compose.yml', () => {
  const referenced = [...new Set([...file.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name))];

  test('are settings of the service, or explained at its head or in docs/operations.md', () => {
    const head = file.slice(0, file.indexOf('\nname:'));
    const explained = head + readFileSync('docs/operations.md', 'utf8');
    expect(referenced.filter((name) => !settings.includes(name) && !explained.includes(name))).toEqual([]);
  });

  test('include every setting of the service that the file does not decide', () => {
    const fixed = Object.values(FIXED).flat();
    expect(settings.filter((name) => !referenced.includes(name))).toEqual(
      settings.filter((name) => fixed.includes(name)),
    );
    for (const name of settings.filter((setting) => !fixed.includes(setting)))
      expect(
        built.some(({ environment }) => environment[name]?.startsWith(`\${${name}:`)),
        name,
      ).toBe(true);
  });

  test('leave the choice of GENERATORS to the operator', () => {
    for (const { environment } of built) expect(environment.GENERATORS).toMatch(/^\$\{GENERATORS:\?/);
  });
});

describe('docker-compose.yml names only what exists:', () => {
  test('commands of the build', () => {
    for (const { command = [] } of built) {
      expect(command[0]).toBe('node');
      expect(existsSync((command[1] ?? '').replace(/^dist\/(.*)\.js$/, '$1.ts')), command[1]).toBe(true);
    }
  });

  test('files, and configs, volumes, networks and services of its own', () => {
    for (const config of Object.values(configs)) expect(existsSync(config.file), config.file).toBe(true);
    expect(all.flatMap((service) => service.configs ?? []).map(({ source }) => source)).toEqual(
      Object.keys(configs),
    );
    const mounted = all.flatMap((service) => service.volumes ?? []).map((volume) => volume.split(':')[0]);
    expect(mounted.sort()).toEqual(Object.keys(volumes).sort());
    expect(new Set(all.flatMap((service) => service.networks))).toEqual(new Set(Object.keys(networks)));
    for (const name of all.flatMap(({ depends_on = {} }) => Object.keys(depends_on)))
      expect(Object.keys(services)).toContain(name);
  });

  test('ports that a process in the container listens on', () => {
    const { api, s3, worker, renderer } = services;
    expect(api?.ports?.map((port) => port.split(':').at(-1))).toEqual([api?.environment.API_PORT]);
    expect(s3?.ports?.map((port) => `:${port.split(':').at(-1)}`)).toEqual([s3?.command?.[1]]);
    for (const service of [worker, renderer]) {
      const [, , , script = ''] = service?.healthcheck?.test ?? [];
      expect(script).toContain('process.env.HEALTH_PORT ?? process.env.API_PORT');
      expect(service?.environment.HEALTH_PORT).toMatch(/^909\d$/);
    }
  });

  test('variables that mongo-init.js reads', () => {
    const [, names = ''] =
      /const \{ ([^}]+) \} = process\.env/.exec(readFileSync('deploy/mongo-init.js', 'utf8')) ?? [];
    const { HOME: _, ...given } = services['mongo-init']?.environment ?? {};
    expect(Object.keys(given).sort()).toEqual(names.split(', ').sort());
  });
});

test('a container has longer to end than its process takes', () => {
  const { shutdownGraceMs, worker } = loadConfig(REQUIRED);
  for (const service of built.filter(({ healthcheck }) => healthcheck !== undefined)) {
    const { stop_grace_period = '', command } = service;
    const isRenderer = command?.includes('dist/worker/renderer.js') ?? false;
    const [, prefix = '', seconds] =
      /^\$\{(RENDER_)?STOP_GRACE_PERIOD:-(\d+)s\}$/.exec(stop_grace_period) ?? [];
    expect(prefix).toBe(isRenderer ? 'RENDER_' : '');
    const endsWithinMs = (isRenderer ? worker.renderGraceMs : shutdownGraceMs) + CLOSING_MS;
    expect(Number(seconds) * 1000).toBeGreaterThan(endsWithinMs);
  }
});
