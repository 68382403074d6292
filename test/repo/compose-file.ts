import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { parse } from 'yaml';

const Names = Type.Record(Type.String(), Type.Unknown());
const Service = Type.Object({
  image: Type.String(),
  build: Type.Optional(Type.String()),
  entrypoint: Type.Optional(Type.Array(Type.String())),
  command: Type.Optional(Type.Array(Type.String())),
  environment: Type.Record(Type.String(), Type.String()),
  networks: Type.Array(Type.String(), { minItems: 1 }),
  ports: Type.Optional(Type.Array(Type.String())),
  volumes: Type.Optional(Type.Array(Type.String())),
  configs: Type.Optional(Type.Array(Type.Object({ source: Type.String(), target: Type.String() }))),
  depends_on: Type.Optional(Names),
  healthcheck: Type.Optional(Type.Object({ test: Type.Array(Type.String()) })),
  stop_grace_period: Type.Optional(Type.String()),
  cap_drop: Type.Array(Type.String()),
  cap_add: Type.Optional(Type.Array(Type.String())),
  privileged: Type.Optional(Type.Boolean()),
  security_opt: Type.Array(Type.String()),
  read_only: Type.Boolean(),
  mem_limit: Type.String({ pattern: '^(\\$\\{\\w+:-)?\\d+[mg]\\}?$' }),
  cpus: Type.Union([Type.Number(), Type.String({ pattern: '^\\$\\{\\w+:-[\\d.]+\\}$' })]),
  pids_limit: Type.Integer({ minimum: 1 }),
});
const Compose = Type.Object({
  services: Type.Record(Type.String(), Service),
  networks: Type.Record(Type.String(), Type.Union([Type.Null(), Type.Object({ internal: Type.Boolean() })])),
  configs: Type.Record(Type.String(), Type.Object({ file: Type.String() })),
  volumes: Names,
});

/** The text of docker-compose.yml. */
export const file = readFileSync('docker-compose.yml', 'utf8');
export const document: unknown = parse(file, { merge: true });
// Fails for a service without limits, capabilities or networks: the schema requires them.
export const { services, networks, configs, volumes } = Value.Parse(Compose, structuredClone(document));
