import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Served extends AsyncDisposable {
  port: number;
  origin: string;
  /** Number of connections opened so far. */
  connections(): number;
  /** Number of connections that are open now. */
  open(): number;
}

export const serveHttp = (listener: RequestListener) => serve(createServer(listener), 'http');

export const serveHttps = ({ key, cert }: Certificate, listener: RequestListener) =>
  serve(createTlsServer({ key, cert }, listener), 'https');

/** A raw TCP server. `talk` is called with each connection once its first bytes have arrived. */
export const serveTcp = (talk: (socket: Socket) => void) =>
  serve(
    createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => talk(socket));
    }),
    'http',
  );

async function serve(server: Server | NetServer, scheme: string): Promise<Served> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `${scheme}://127.0.0.1:${port}`,
    connections: () => connections,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export interface Certificate {
  key: string;
  cert: string;
}

/** A self-signed certificate for the names given, such as `DNS:localhost,IP:127.0.0.1`. */
export function certificateFor(names: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'egress-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=egress test', '-addext', `subjectAltName=${names}`, '-days', '2'];
  try {
    execFileSync('openssl', [...request, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
