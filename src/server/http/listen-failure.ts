// Why a server could not listen, in words of whoever chose the host and the port.
import { StatekError } from '../../base/error.ts';

/** The server cannot listen where it was told to. */
export class ServerListenError extends StatekError {
  readonly code = 'SERVER_LISTEN';
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something listens there already. Stop it, or choose another port; 0 picks a free one.',
  EACCES: 'the system does not allow it. Choose a port from 1024 on.',
  EADDRNOTAVAIL: 'this machine has no such address. Choose another host.',
  ENOTFOUND: 'there is no such host. Choose another host, such as 127.0.0.1.',
};

export function listenFailure(host: string, port: number, error: unknown): ServerListenError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new ServerListenError(
    `The server cannot listen on ${host}:${port}: ${reasons[code] ?? `${message}.`}`,
    { host, port },
    error,
  );
}
