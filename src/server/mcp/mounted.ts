// The MCP server as a part of the HTTP server: the same guard, the same callers, the same rights. Who decides is who calls.
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Statek } from '../../kit/statek.ts';
import { ForbiddenError, requireRight, type Caller } from '../access/rights.ts';
import { accessOf } from './options.ts';
import { followJobs } from './resources.ts';
import { newServer } from './server.ts';

export class MountedMcp {
  readonly #kit: Statek;
  readonly #maxWait: number;
  #handler: McpHttpHandler | undefined;
  #stop: (() => void) | undefined;

  constructor(kit: Statek, maxWait: number) {
    this.#kit = kit;
    this.#maxWait = maxWait;
  }

  /** Answers a request whose body was read. Callers who are limited to some jobs are refused: tools see all of them. */
  async answer(request: Request, body: unknown, caller: Caller): Promise<Response> {
    requireRight(caller, 'read');
    if (caller.labels !== undefined)
      throw new ForbiddenError(`${caller.name} may only use jobs labelled ${caller.labels.join(', ')}, and not MCP.`);
    const authInfo = { token: '', clientId: caller.name, scopes: [...caller.rights], extra: { caller } };
    return this.#handlerNow().fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) });
  }

  async close(): Promise<void> {
    const handler = this.#handler;
    this.#stop?.();
    this.#handler = undefined;
    this.#stop = undefined;
    await handler?.close();
  }

  /** Made when it is first needed: a kit that nobody uses over MCP is not followed. */
  #handlerNow(): McpHttpHandler {
    if (this.#handler !== undefined) return this.#handler;
    const handler = createMcpHandler(
      ({ authInfo }) => {
        // Every request is answered with its caller.
        const { caller = { name: 'anonymous', rights: [] } } = (authInfo?.extra ?? {}) as { readonly caller?: Caller };
        const { rights, name } = caller;
        const access = accessOf('server', {
          readOnly: !rights.includes('control'),
          approvals: rights.includes('answer'),
          maxWaitMilliseconds: this.#maxWait,
        });
        return newServer(this.#kit, { ...access, decidedBy: name });
      },
      { maxSubscriptions: 50 },
    );
    this.#handler = handler;
    this.#stop = followJobs(this.#kit, {
      updated: (uri) => handler.notify.resourceUpdated(uri),
      listChanged: () => handler.notify.resourcesChanged(),
    });
    return handler;
  }
}
