// The connection to a server: made when it is needed, made again after it was lost, and closed when nobody uses it.
import { Client, type ClientOptions, type PriorDiscovery, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpConnectionError } from './errors.ts';
import { cut, messageOf } from './failure.ts';
import { HttpTransport, isUsualEnd } from './http-transport.ts';
import { limitedFetch } from './limited-fetch.ts';
import type { McpLimits, McpServerOptions } from './options.ts';

// Schemas of strangers are checked by code of our own, which they cannot keep busy; see schema-check.ts.
const noValidator = {
  getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }),
} as NonNullable<ClientOptions['jsonSchemaValidator']>;

const tailLength = 4000;

export class McpConnection {
  readonly #options: McpServerOptions;
  readonly #limits: McpLimits;
  readonly #toolsChanged: () => void;
  #client: Promise<Client> | undefined;
  /** What the server was found to speak, so that it is not asked again. */
  #prior: PriorDiscovery | undefined;
  #usedTransport: Transport | undefined;
  #problem: string | undefined;
  #current: Client | undefined;
  /** How much is under way on each client. */
  readonly #uses = new Map<Client, number>();
  /** Clients that are not to be used again. */
  readonly #left = new WeakSet<Client>();
  #isClosed = false;
  #wasConnected = false;
  #isAnother = false;

  constructor(options: McpServerOptions, limits: McpLimits, toolsChanged: () => void) {
    this.#options = options;
    this.#limits = limits;
    this.#toolsChanged = toolsChanged;
  }

  /** What went wrong with the connection last. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether there is a connection that can be used. */
  isOpen(): boolean {
    return this.#current !== undefined;
  }

  /** Does something with the client, connected. */
  async use<Result>(action: (client: Client) => Promise<Result>): Promise<Result> {
    const client = this.#current ?? (await this.#connected());
    this.#uses.set(client, (this.#uses.get(client) ?? 0) + 1);
    try {
      const result = await action(client);
      // Another process of the server may offer something else.
      if (this.#isAnother) {
        this.#isAnother = false;
        this.#toolsChanged();
      }
      return result;
    } finally {
      const left = (this.#uses.get(client) ?? 1) - 1;
      if (left === 0) this.#uses.delete(client);
      else this.#uses.set(client, left);
      if (left === 0 && this.#left.has(client)) await client.close().catch(() => undefined);
    }
  }

  /** The next use makes another connection; what is under way on this one is brought to its end. */
  leave(client: Client): void {
    this.#left.add(client);
    if (this.#current === client) this.#forget(this.#client);
  }

  /** Closes the connection; the next use makes another. */
  async drop(): Promise<void> {
    const client = this.#client;
    this.#forget(client);
    await client?.then(
      (connected) => connected.close().catch(() => undefined),
      () => undefined,
    );
  }

  /** For good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.drop();
  }

  #connected(): Promise<Client> {
    if (this.#isClosed)
      return Promise.reject(
        new McpConnectionError(`The connection to the MCP server '${this.#options.name}' was closed.`, {
          server: this.#options.name,
        }),
      );
    const client = (this.#client ??= this.#connect());
    client.catch(() => this.#forget(client));
    return client;
  }

  #forget(client: Promise<Client> | undefined): void {
    if (client === undefined || this.#client !== client) return;
    this.#client = undefined;
    this.#current = undefined;
  }

  async #connect(): Promise<Client> {
    const { name, protocol = 'auto' } = this.#options;
    const { connectTimeout } = this.#limits;
    this.#problem = undefined;
    const { transport, tail } = this.#transport();
    const client = new Client(
      { name: 'statek', version: '1' },
      {
        jsonSchemaValidator: noValidator,
        versionNegotiation: { mode: protocol, probe: { timeoutMs: connectTimeout } },
        listChanged: { tools: { autoRefresh: false, onChanged: () => this.#toolsChanged() } },
      },
    );
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client has no listeners
    client.onerror = (error) => {
      if (!isUsualEnd(error)) this.#problem = cut(messageOf(error), 300);
    };
    const connecting = client.connect(transport, {
      timeout: connectTimeout,
      ...(this.#prior === undefined ? {} : { prior: this.#prior }),
    });
    try {
      await within(connectTimeout * 2 + 1000, connecting);
    } catch (error) {
      // What is known of the server may be out of date.
      this.#prior = undefined;
      await Promise.race([client.close().catch(() => undefined), transport.close().catch(() => undefined)]);
      throw new McpConnectionError(
        `The MCP server '${name}' could not be connected to: ${cut(messageOf(error))}`,
        { server: name, ...(tail() === '' ? {} : { stderr: tail() }) },
        error,
      );
    }
    const discover = client.getDiscoverResult();
    this.#prior = discover === undefined ? { kind: 'legacy' } : { kind: 'modern', discover };
    const made = this.#client;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client has no listeners
    client.onclose = () => this.#forget(made);
    this.#current = client;
    this.#isAnother = this.#wasConnected;
    this.#wasConnected = true;
    return client;
  }

  #transport(): { transport: Transport; tail: () => string } {
    const options = this.#options;
    const { maxReplyBytes } = this.#limits;
    const none = (): string => '';
    if ('url' in options) {
      const { name, url, headers } = options;
      const transport = new HttpTransport(new URL(url), {
        fetch: limitedFetch(name, maxReplyBytes),
        ...(headers === undefined ? {} : { requestInit: { headers: { ...headers } } }),
      });
      return { transport, tail: none };
    }
    if ('transport' in options) {
      const { transport, name } = options;
      if (typeof transport === 'function') return { transport: transport(), tail: none };
      if (this.#usedTransport === transport)
        throw new McpConnectionError(
          `The connection to the MCP server '${name}' was lost, and its transport can be used once. Give a function that makes it.`,
          { server: name },
        );
      this.#usedTransport = transport;
      return { transport, tail: none };
    }
    const { command, args = [], env, cwd } = options;
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      stderr: 'pipe',
      maxBufferSize: maxReplyBytes + 64 * 1024,
      ...(env === undefined ? {} : { env: { ...env } }),
      ...(cwd === undefined ? {} : { cwd }),
    });
    let tail = '';
    // What it says there is for people; it is read in any case, or the server would stand still.
    transport.stderr?.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString()).slice(-tailLength)));
    return { transport, tail: () => tail };
  }
}

async function within<Result>(milliseconds: number, action: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`There was no answer within ${milliseconds} ms.`)), milliseconds);
  });
  try {
    return await Promise.race([action, late]);
  } finally {
    clearTimeout(timer);
  }
}
