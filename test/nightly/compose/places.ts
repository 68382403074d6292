import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rememberedPorts } from '../../../dev/process/tcp-ports.ts';
import { configs, services } from '../../repo/compose-file.ts';

/** Where the servers of docker-compose.yml listen, by service. */
const PORTS = {
  mongo: 27017,
  postgres: 5432,
  s3: 7070,
  temporal: 7233,
  api: 8080,
  worker: 9090,
  renderer: 9091,
} as const;
type Listener = keyof typeof PORTS;

export interface Places extends Disposable {
  folder: string;
  ports: Record<Listener, number>;
  /** Another free port. */
  port(name: string): Promise<number>;
  /** A text of the file with the hosts, ports and paths that it has on this machine. */
  local(text: string): string;
}

/** Free ports on loopback for all servers, and folders in the place of volumes and mounts. */
export async function choosePlaces(folder: string, temporalSchema: string): Promise<Places> {
  const chosen = rememberedPorts(join(folder, 'ports.json'));
  const ports: Record<string, number> = {};
  for (const name of Object.keys(PORTS)) ports[name] = await chosen.choose(name);
  for (const name of ['s3', 'tmp', 'configs', 'mongo', 'postgres']) mkdirSync(join(folder, name));

  const whole: Record<string, string> = {
    '/data': join(folder, 's3'),
    '/tmp': join(folder, 'tmp'),
    '0.0.0.0': '127.0.0.1',
    mongo: `127.0.0.1:${ports.mongo}`,
    postgres: '127.0.0.1',
    ':7070': `127.0.0.1:${ports.s3}`,
  };
  const parts: [string, string][] = [
    ['--ep postgres -p 5432', `--ep 127.0.0.1 -p ${ports.postgres}`],
    ['/etc/temporal/schema', temporalSchema],
    ['/tmp/', `${folder}/tmp/`],
    ['"$(hostname -i)"', `127.0.0.1:${ports.mongo}`],
    ['--bind_ip_all', `--bind_ip 127.0.0.1 --port ${ports.mongo} --dbpath ${folder}/mongo --nounixsocket`],
  ];
  for (const [name, port] of Object.entries(PORTS)) {
    whole[String(port)] = String(ports[name]);
    for (const host of [name, '127.0.0.1']) parts.push([`${host}:${port}`, `127.0.0.1:${ports[name]}`]);
  }
  for (const { target, source } of Object.values(services).flatMap((service) => service.configs ?? []))
    whole[target] = join(folder, 'configs', basename(configs[source]?.file ?? ''));

  const local = (text: string) =>
    whole[text] ?? parts.reduce((result, [from, to]) => result.replaceAll(from, to), text);
  for (const { file } of Object.values(configs))
    writeFileSync(join(folder, 'configs', basename(file)), local(readFileSync(file, 'utf8')));
  return {
    folder,
    ports: ports as Record<Listener, number>,
    port: chosen.choose,
    local,
    [Symbol.dispose]: chosen[Symbol.dispose],
  };
}
