// Opens a port, or says which one could not be had and what to do about it.
import { CannotListenError } from '../../line/errors.ts';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there. Stop it, or pass another --port; 0 picks a free one',
  EACCES: 'this user may not listen there. Pass a --port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address. Pass another --host',
  ENOTFOUND: 'there is no host of this name. Pass another --host',
};

export async function listenAt<Listening>(
  { port, host = '127.0.0.1' }: { readonly port: number; readonly host?: string | undefined },
  listen: () => Promise<Listening>,
): Promise<Listening> {
  try {
    return await listen();
  } catch (error) {
    // The server says it in its own words, with what the system said as the cause.
    const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
    const reason = reasons[String(cause?.code ?? code)];
    if (reason === undefined) throw error;
    throw new CannotListenError(`Cannot listen on ${host}:${port}: ${reason}.`, { host, port }, error);
  }
}
