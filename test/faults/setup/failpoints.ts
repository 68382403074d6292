import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** Sent by a process under test: the call it has reached, and the workflow or account it is for. */
export const Report = Type.Object({ point: Type.String(), subject: Type.String() });
export type Report = Static<typeof Report>;

/** Blocks every process that reaches a failpoint. */
export interface Hold {
  /** Resolves when the first process is blocked. */
  reached: Promise<void>;
  /** Unblocks all processes, now and later. */
  release(): void;
}

type Armed = { name: string; arrived: () => void; open: Promise<void> };

/**
 * The server to which the processes under test report each failpoint; they continue when it responds. It responds
 * immediately unless the test holds the failpoint.
 */
export async function startFailpoints() {
  const armed = new Set<Armed>();
  const seen = new Set<string>();
  const pass = async (report: Report) => {
    seen.add(nameOf(report));
    for (const hold of armed)
      if (hold.name === nameOf(report)) {
        hold.arrived();
        await hold.open;
      }
  };
  const server = createServer(async (request, response) => {
    await pass(Value.Parse(Report, await json(request)));
    respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** For failpoints in this process. */
    pass,
    /** Whether the failpoint has been reached. */
    reached: (point: string, subject: string) => seen.has(nameOf({ point, subject })),
    hold(point: string, subject: string): Hold {
      let arrived = () => {};
      let open = () => {};
      const reached = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const hold = {
        name: nameOf({ point, subject }),
        arrived,
        open: new Promise<void>((resolve) => {
          open = resolve;
        }),
      };
      armed.add(hold);
      return {
        reached,
        release() {
          armed.delete(hold);
          open();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export type Failpoints = Awaited<ReturnType<typeof startFailpoints>>;

const nameOf = ({ point, subject }: Report) => `${point} ${subject}`;

/** The process that sent the request may have been killed. */
function respond(request: IncomingMessage, response: ServerResponse): void {
  if (!request.socket.destroyed) response.writeHead(204).end();
}
