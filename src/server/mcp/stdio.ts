// Serves a kit as an MCP server over standard input and output, for a client that started this process.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Statek } from '../../kit/statek.ts';
import { checkStdio, type McpAccessOptions } from './options.ts';
import { followJobs } from './resources.ts';
import { newServer } from './server.ts';

/** A kit that is served over standard input and output. */
export interface ServedMcp {
  /** Resolves when the client has disconnected or the server was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client. Nothing else may write to standard output meanwhile. */
export function serveMcpStdio(kit: Statek, options: McpAccessOptions = {}): ServedMcp {
  const access = checkStdio(options);
  const servers = new Map<McpServer, Set<string> | undefined>();
  const ended = Promise.withResolvers<void>();
  const stop = followJobs(kit, {
    updated: (uri) => {
      for (const [server, subscribed] of servers)
        if (subscribed?.has(uri) !== false) server.server.sendResourceUpdated({ uri }).catch(() => undefined);
    },
    listChanged: () => {
      for (const server of servers.keys()) server.server.sendResourceListChanged().catch(() => undefined);
    },
  });
  const handle = serveStdio(({ era }) => {
    const server = newServer(kit, access);
    // The SDK handles subscriptions of clients with the newer protocol.
    const subscribed = era === 'legacy' ? subscriptionsOf(server) : undefined;
    servers.set(server, subscribed);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server has no listeners
    server.server.onclose = () => servers.delete(server);
    return server;
  });
  const end = (): void => {
    stop();
    ended.resolve();
  };
  process.stdin.once('end', end);
  process.stdin.once('close', end);
  return {
    ended: ended.promise,
    close: async () => {
      end();
      await handle.close();
    },
  };
}

const maxSubscriptions = 1000;

/** The subscriptions of a client with the older protocol. */
function subscriptionsOf({ server }: McpServer): Set<string> {
  const subscribed = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    if (subscribed.size < maxSubscriptions) subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  return subscribed;
}
