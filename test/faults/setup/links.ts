import type { ServerContext } from '../../../dev/servers/context.ts';
import { closers } from '../../setup/closers.ts';
import { type Replacement, startGrpcFront } from './grpc-front.ts';
import { type Mode, startLink } from './link.ts';

/** Faults between the service's processes and its servers. Links without a mode work. */
export type Fault = {
  apiToTemporal?: Mode;
  apiToMongo?: Mode;
  workerToTemporal?: Mode;
  workerToMongo?: Mode;
  /** Replaces Temporal's responses to the API. */
  responses?: Replacement;
};

/** Links from the API and from the worker to Temporal and MongoDB. */
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
  const inject = (fault: Fault) => {
    front.replaceResponses(fault.responses);
    links.apiToTemporal.set(fault.apiToTemporal ?? 'pass');
    links.apiToMongo.set(fault.apiToMongo ?? 'pass');
    links.workerToTemporal.set(fault.workerToTemporal ?? 'pass');
    links.workerToMongo.set(fault.workerToMongo ?? 'pass');
  };
  return {
    inject,
    clear: () => inject({}),
    /** The context of a process that reaches its servers over these links. */
    contextFor: (context: ServerContext, program: 'api' | 'worker'): ServerContext => ({
      ...context,
      env: { ...context.env, ...environmentOf(links[`${program}ToMongo`], links[`${program}ToTemporal`]) },
    }),
    [Symbol.asyncDispose]: () => stack.close(),
  };
}

function endpoint(address: string) {
  const { hostname: host, port } = new URL(`tcp://${address}`);
  return { host, port: Number(port) };
}

const environmentOf = (mongo: { port: number }, temporal: { port: number }) => ({
  // directConnection: with the replica set's name, the driver would connect to the address that mongod announces.
  MONGODB_URL: `mongodb://127.0.0.1:${mongo.port}/?directConnection=true`,
  TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
});
