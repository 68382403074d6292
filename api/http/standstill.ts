import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LATE_MS } from '../../lib/process/countdown.ts';

const BEAT_MS = 1000;

/**
 * Makes the limits that Node enforces on connections allow for the time in which this process stood
 * still. Otherwise its timers refuse heads, and close idle connections, before the requests that
 * arrived meanwhile are read. Call it before the server listens.
 */
export function allowForStandstill(server: Server): void {
  let beatAt = 0;
  let stood = { ms: 0, until: Number.NEGATIVE_INFINITY };
  const beat = () => {
    const now = performance.now();
    if (now - beatAt - BEAT_MS >= LATE_MS) stood = { ms: now - beatAt, until: now };
    beatAt = now;
    return now;
  };
  server.once('listening', () => {
    beatAt = performance.now();
    const timer = setInterval(beat, BEAT_MS).unref();
    server.once('close', () => clearInterval(timer));
  });
  // Node reads both at every check of its connections.
  for (const name of ['headersTimeout', 'requestTimeout'] as const) {
    const limit = server[name];
    const get = () => limit + (beat() - stood.until < limit ? stood.ms : 0);
    Object.defineProperty(server, name, { get });
  }
  server.on('timeout', closeUnlessRead);
}

/** Gives a connection one turn of the event loop, in which what has arrived is read. */
function closeUnlessRead(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy();
  });
}
