import type { Surroundings } from '../../../stack/servers/part.ts';
import { closers } from '../../setup/closers.ts';
import { type Replacement, startGrpcFront } from './grpc-front.ts';
import { type Mode, startLink } from './link.ts';

/** What goes wrong between the processes of the service and its servers; what isn't named works. */
export type Fault = {
  apiToTemporal?: Mode;
  apiToMongo?: Mode;
  workerToTemporal?: Mode;
  workerToMongo?: Mode;
  /** Instead of Temporal's answers to the API. */
  answers?: Replacement;
};

export type Links = Awaited<ReturnType<typeof startLinks>>;

/** A link from the API and one from the worker to each of Temporal and MongoDB, and how they are reached by those. */
export async function startLinks(mongoUrl: string, temporalAddress: string) {
  const stack = closers();
  const link = async (address: string) => stack.use(await startLink(endpoint(address)));
  const mongo = new URL(mongoUrl).host;
  const front = stack.use(await startGrpcFront(temporalAddress));
  const links = {
    apiToTemporal: await link(`127.0.0.1:${front.port}`),
    apiToMongo: await link(mongo),
    workerToTemporal: await link(temporalAddress),
    workerToMongo: await link(mongo),
  };
  const strike = (fault: Fault) => {
    front.replaceAnswers(fault.answers);
    links.apiToTemporal.set(fault.apiToTemporal ?? 'pass');
    links.apiToMongo.set(fault.apiToMongo ?? 'pass');
    links.workerToTemporal.set(fault.workerToTemporal ?? 'pass');
    links.workerToMongo.set(fault.workerToMongo ?? 'pass');
  };
  return {
    strike,
    mend: () => strike({}),
    /** The surroundings of a process that reaches its servers over these links. */
    around: (around: Surroundings, who: 'api' | 'worker'): Surroundings => ({
      ...around,
      env: { ...around.env, ...environmentOf(links[`${who}ToMongo`], links[`${who}ToTemporal`]) },
    }),
    [Symbol.asyncDispose]: () => stack.close(),
  };
}

function endpoint(address: string) {
  const { hostname: host, port } = new URL(`tcp://${address}`);
  return { host, port: Number(port) };
}

const environmentOf = (mongo: { port: number }, temporal: { port: number }) => ({
  // Not by the name of its replica set: the driver would go to the address which mongod names.
  MONGODB_URL: `mongodb://127.0.0.1:${mongo.port}/?directConnection=true`,
  TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
});
