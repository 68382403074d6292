import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Environment, loadConfig } from '../../lib/process/config/config.ts';
import { REQUIRED } from '../setup/required.ts';
import { file, networks, services } from './compose-file.ts';

const defaults = loadConfig(REQUIRED);
const all = Object.entries(services);
const built = all.filter(([, { build }]) => build !== undefined);
const onNetwork = (network: string) =>
  all.filter(([, service]) => service.networks.includes(network)).map(([name]) => name);

describe('docker-compose.yml', () => {
  test.each(all)('%s runs without capabilities, new privileges and unpinned images', (name, service) => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect([service.cap_add, service.privileged]).toEqual([undefined, undefined]);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    // The UI writes its configuration to its own folder.
    expect(service.read_only).toBe(name !== 'temporal-ui');
    if (service.build === undefined)
      expect(service.image).toMatch(/:v?\d+\.\d+(\.\d+)?@sha256:[0-9a-f]{64}$/);
  });

  test.each(built)(
    '%s has all required settings, only those of config.ts, and its own MongoDB user',
    (_, { environment }) => {
      expect(Object.keys(environment)).toEqual(expect.arrayContaining(Object.keys(REQUIRED)));
      expect(Object.keys(environment).filter((name) => !(name in Environment.properties))).toEqual([]);
      const url = environment.MONGODB_URL ?? '';
      expect(url).toMatch(
        /^mongodb:\/\/service:\$\{MONGO_SERVICE_PASSWORD:\?[^}]+\}@mongo:27017\/\$\{MONGODB_DATABASE:-image_job_api\}\?/,
      );
      expect(defaults.mongo.database).toBe('image_job_api');
    },
  );

  test('passwords are given only to containers that need them', () => {
    const receivers = (secret: string) =>
      all
        .filter(([, { environment }]) => Object.values(environment).join().includes(`\${${secret}`))
        .map(([name]) => name);
    const service = built.map(([name]) => name);
    expect(receivers('MONGO_PASSWORD')).toEqual(['mongo', 'mongo-init']);
    expect(receivers('MONGO_REPLICA_KEY')).toEqual(['mongo']);
    expect(receivers('MONGO_SERVICE_PASSWORD')).toEqual([...service, 'mongo-init']);
    expect(receivers('POSTGRES_PASSWORD')).toEqual(['postgres', 'temporal-schema', 'temporal']);
    expect(receivers('S3_SECRET_ACCESS_KEY')).toEqual([...service, 's3']);
    expect(receivers('OTEL_EXPORTER_OTLP_HEADERS')).toEqual(['api', 'worker', 'renderer']);
  });

  test('databases are on internal networks, with only the containers that use them', () => {
    const closed = Object.keys(networks).filter((name) => networks[name]?.internal === true);
    expect(closed).toEqual(['data', 'temporal', 'temporal-db']);
    const service = built.map(([name]) => name);
    expect(onNetwork('data')).toEqual([...service, 'mongo', 'mongo-init', 's3']);
    expect(onNetwork('temporal')).toEqual([...service, 'temporal', 'temporal-namespace', 'temporal-ui']);
    expect(onNetwork('temporal-db')).toEqual(['postgres', 'temporal-schema', 'temporal']);
    expect(onNetwork('edge')).toEqual(['api', 's3']);
    expect(onNetwork('egress')).toEqual(['worker', 'renderer']);
    expect(onNetwork('ui')).toEqual(['temporal-ui']);
  });

  test('only the API, S3 and the UI publish a port, on loopback', () => {
    const published = all.flatMap(([, { ports = [] }]) => ports);
    expect(published).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:7070:7070', '127.0.0.1:8233:8080']);
  });

  test("mongod's cache and a renderer's images fit well below their containers' memory", () => {
    const cacheGb = Number(/--wiredTigerCacheSizeGB ([\d.]+)/.exec(file)?.[1]);
    expect(cacheGb * 2).toBeLessThanOrEqual(megabytes(services.mongo?.mem_limit) / 1024);
    const images = defaults.worker.renderMemoryBytes / 2 ** 20;
    expect(images * 1.5).toBeLessThanOrEqual(megabytes(services.renderer?.mem_limit));
  });

  test('the image of the service has a pinned base and does not run as root', () => {
    const dockerfile = readFileSync('Dockerfile', 'utf8');
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/m);
    const stages = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from);
    expect(stages.filter((from) => !from?.endsWith('{NODE_IMAGE}'))).toEqual([]);
    expect(dockerfile.slice(dockerfile.lastIndexOf('FROM '))).toMatch(/^USER node$/m);
  });

  test('the image of the service is the build with the packages of production', () => {
    const [, build = '', dependencies = '', image = ''] = readFileSync('Dockerfile', 'utf8').split(/^FROM /m);
    expect(build).toMatch(/^RUN npm ci\nCOPY \. \.\nRUN npm run build$/m);
    expect(dependencies).toMatch(/^RUN npm ci --omit=dev/m);
    // test/service/production.service.test.ts runs a tree of the same three.
    expect(
      [...image.matchAll(/^COPY (?:--from=(\w+) )?(.+) \.\/\S*$/gm)].map(([, from, what]) => [from, what]),
    ).toEqual([
      ['dependencies', '/app/node_modules'],
      ['build', '/app/dist'],
      [undefined, 'package.json LICENSE'],
    ]);
    const [, command = ''] = /^CMD \["node", "([^"]+)"\]$/m.exec(image) ?? [];
    expect(services.api?.command).toEqual(['node', command]);
    expect(image).toMatch(new RegExp(`^EXPOSE ${services.api?.environment.API_PORT}$`, 'm'));
  });
});

function megabytes(limit = ''): number {
  const [, amount, unit] = /(\d+)([mg])\}?$/.exec(limit) ?? [];
  return Number(amount) * (unit === 'g' ? 1024 : 1);
}
