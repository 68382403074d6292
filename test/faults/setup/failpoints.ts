import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** What a process under test says of itself: the call it is at, and the workflow or account it works for. */
export const Report = Type.Object({ point: Type.String(), subject: Type.String() });
export type Report = Static<typeof Report>;

/** A step at which every process that reaches it waits. */
export interface Hold {
  /** Resolves when the first process stands there. */
  reached: Promise<void>;
  /** Lets through those that wait and those that will come. */
  release(): void;
}

type Armed = { name: string; arrived: () => void; open: Promise<void> };

/**
 * Where the processes under test report each step before they take it, and wait for the answer. A step that nobody
 * holds is answered at once.
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
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** For steps taken in this process. */
    pass,
    /** Whether the step was ever reached. */
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

/** The process that asked may be dead by now. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  if (!request.socket.destroyed) response.writeHead(204).end();
}
