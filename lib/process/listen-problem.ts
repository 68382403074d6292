/** Where a server was to listen, and the variables that say so. */
export interface Listening {
  host: string;
  port: number;
  hostVariable?: string;
  portVariable?: string;
}

/**
 * Why a server cannot listen, and what to do, as a sentence or two.
 * @param code of Node's error, such as EADDRINUSE
 */
export function listenProblem(
  code: unknown,
  { host, port, hostVariable = 'API_HOST', portVariable = 'API_PORT' }: Listening,
): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use by another program. Stop it, or set ${portVariable} to another port.`;
    case 'EACCES':
      return `This user may not listen on port ${port} of ${host}. Set ${portVariable} to another port, from 1024 on.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${hostVariable}: ${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all of its addresses.`;
    default:
      return `Nothing can listen on port ${port} of ${host} (${code}). Set ${portVariable} to another port.`;
  }
}
