import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { obtainBinaries } from '../../../dev/obtain/binaries.ts';
import { cacheFolder } from '../../../dev/obtain/cache.ts';
import type { ObtainContext } from '../../../dev/obtain/chain.ts';
import { obtainProgram } from '../../../dev/obtain/tools.ts';
import { isExecutable, runCommand } from '../../../dev/process/command.ts';
import { environment } from '../../../lib/process/config/config.ts';
import { services } from '../../repo/compose-file.ts';

/** The newest that npm has; the image of MongoDB brings its own. */
const MONGOSH = '2.12.0';

/** What the entrypoints of the images do before they start their server, and two small programs of theirs. */
const SCRIPTS = {
  'docker-entrypoint.sh': `
# The image of MongoDB: the first start makes the user root, without passwords and where nobody looks for a server.
shift
if [ ! -e "$DATA/WiredTiger" ]; then
  mongod --dbpath "$DATA" --port "$FIRST_PORT" --bind_ip 127.0.0.1 --nounixsocket --fork --logpath "$DATA.first.log"
  mongosh --quiet --port "$FIRST_PORT" admin --eval 'db.createUser({
    user: process.env.MONGO_INITDB_ROOT_USERNAME, pwd: process.env.MONGO_INITDB_ROOT_PASSWORD, roles: ["root"] })'
  mongod --dbpath "$DATA" --shutdown
fi
exec mongod "$@"`,
  'postgres-entrypoint': `
# The image of PostgreSQL: the first start makes the user and a database of the same name.
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile=/dev/stdin --auth=scram-sha-256 --no-sync <<< "$POSTGRES_PASSWORD"
  postgres --single postgres <<< "CREATE DATABASE $POSTGRES_USER"
fi
exec postgres -p "$PGPORT" -c listen_addresses=127.0.0.1 -c unix_socket_directories=`,
  nc: 'exec 3<>"/dev/tcp/$2/$3"',
  wget: 'exec curl -fsS -o /dev/null "$4"',
};

/**
 * A folder with the programs of the images, in the versions of docker-compose.yml where they are pinned there.
 * @returns it, and the folder with Temporal's schema
 */
export async function collectPrograms(folder: string, context: ObtainContext) {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const release = `v${/temporalio\/server:([\d.]+)@/.exec(services.temporal?.image ?? '')?.[1]}`;
  const temporal = (goPackage: string) => ({ goPackage: `go.temporal.io/server/cmd/${goPackage}`, release });
  const programs: Record<string, string> = {
    ...(await obtainBinaries(['mongod', 'temporal', 'versitygw'], context)),
    'temporal-server': await obtainProgram('temporal-server', temporal('server'), context),
    'temporal-sql-tool': await obtainProgram('temporal-sql-tool', temporal('tools/sql'), context),
    mongosh: await obtainMongosh(context),
    node: process.execPath,
  };
  const postgres = postgresFolder();
  for (const name of ['initdb', 'postgres', 'pg_isready']) programs[name] = join(postgres, name);
  for (const [name, path] of Object.entries(programs)) symlinkSync(path, join(bin, name));
  for (const [name, script] of Object.entries(SCRIPTS))
    writeFileSync(join(bin, name), `#!/bin/bash -e${script.startsWith('\n') ? '' : '\n'}${script}\n`, {
      mode: 0o755,
    });
  const module = await runCommand(
    'go',
    ['mod', 'download', '-json', `go.temporal.io/server@${release}`],
    context,
  );
  return { bin, schema: join(JSON.parse(module).Dir, 'schema') };
}

async function obtainMongosh({ env, signal, say }: ObtainContext): Promise<string> {
  const folder = join(cacheFolder(env), `mongosh-${MONGOSH}`);
  const binary = join(folder, 'node_modules', '.bin', 'mongosh');
  if (isExecutable(binary)) return binary;
  say('mongosh: installing with npm');
  const install = ['install', '--ignore-scripts', '--no-audit', '--prefix', folder, `mongosh@${MONGOSH}`];
  await runCommand('npm', install, { signal, env });
  return binary;
}

/** Debian has the programs of each version in a folder of its own. */
function postgresFolder(): string {
  const debian = '/usr/lib/postgresql';
  const onPath = (environment().PATH ?? '').split(':');
  const found = [...onPath, ...versionsIn(debian).map((version) => join(debian, version, 'bin'))].find(
    (folder) => isExecutable(join(folder, 'initdb')),
  );
  if (found === undefined)
    throw new Error('PostgreSQL is not installed (Debian: apt-get install postgresql).');
  return found;
}

function versionsIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort().reverse();
  } catch {
    return [];
  }
}
