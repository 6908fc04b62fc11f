// A server of tools, as the application uses it.
import type { Client, Tool } from '@modelcontextprotocol/client';
import type { ToolContext } from '../tools/tool.ts';
import { comesFrom, type ToolSource } from '../tools/tool-source.ts';
import { McpConnection } from './connection.ts';
import { partOf, resourceOf, textOf, valueOf, type McpPart } from './content.ts';
import { McpConnectionError, McpLimitError, McpToolError } from './errors.ts';
import { cut, failureOf } from './failure.ts';
import { infoOf, listPrompts, listResources, listTools, type McpToolInfo } from './listing.ts';
import { checkOptions, type McpLimits, type McpServerOptions } from './options.ts';
import { checkToolsOptions, chosenTools, type McpTool, type McpToolsOptions } from './tools.ts';

/** Something a server has to read. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly mediaType: string | undefined;
}

/** A text a server has ready, with gaps to fill in. */
export interface McpPrompt {
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: readonly { readonly name: string; readonly required: boolean }[];
}

/** One message of a prompt that a server has filled in. */
export interface McpPromptMessage {
  readonly role: 'user' | 'assistant';
  readonly part: McpPart;
}

/** Attempts at a call that may be repeated, when the connection is lost. */
const maxAttempts = 3;
/** Milliseconds that a new job waits for a change of the list that was heard of. */
const maxWait = 2000;

/** Connects to a server of tools: a program that is started, an address, or any transport. */
export async function mcpServer(options: McpServerOptions): Promise<McpToolServer> {
  const server = new McpToolServer(options, checkOptions(options));
  await server.connected();
  return server;
}

/** A connected MCP server: its tools for agents, its resources and its prompts. `mcpServer(…)` connects it. */
export class McpToolServer {
  readonly name: string;
  readonly #options: McpServerOptions;
  readonly #limits: McpLimits;
  readonly #connection: McpConnection;
  readonly #selections = new Set<(listed: readonly Tool[]) => void>();
  #changing: Promise<void> = Promise.resolve();
  #users = 0;

  /** @internal */
  constructor(options: McpServerOptions, limits: McpLimits) {
    this.name = options.name;
    this.#options = options;
    this.#limits = limits;
    this.#connection = new McpConnection(options, limits, () => this.#changed());
  }

  /** @internal */
  async connected(): Promise<void> {
    await this.#connection.use(async () => undefined);
  }

  /** What the server says about how to use it. */
  async instructions(): Promise<string | undefined> {
    return this.#connection.use(async (client) => client.getInstructions());
  }

  /** What it offers. */
  async list(): Promise<readonly McpToolInfo[]> {
    return (await this.#listed()).map(infoOf);
  }

  /**
   * Its tools, for an agent or as services. An agent that is given the list itself sees changes of it in new jobs; one
   * that is given the members has what it was given.
   */
  async tools(options: McpToolsOptions = {}): Promise<readonly McpTool[]> {
    checkToolsOptions(this.name, options);
    const parts = {
      limits: this.#limits,
      call: (...call: Parameters<McpToolServer['call']>) => this.call(...call),
    };
    const make = (listed: readonly Tool[], isFirst: boolean): readonly McpTool[] =>
      chosenTools(this.name, listed, options, { ...parts, isFirst }).map((one) => comesFrom(one, source));
    const source: ToolSource = {
      current: () => tools,
      settled: () => this.#settled(),
      hold: () => this.#hold(),
    };
    let tools: readonly McpTool[] = [];
    tools = make(await this.#listed(), true);
    this.#selections.add((listed) => {
      tools = make(listed, false);
    });
    return comesFrom([...tools], source);
  }

  /** @internal Makes a call. What it returns or throws is its outcome. */
  async call(tool: Tool, input: Record<string, unknown>, context: ToolContext, idempotent: boolean): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      let used: Client | undefined;
      try {
        return await this.#connection.use((client) => {
          used = client;
          return this.#callOnce(client, tool, input, context);
        });
      } catch (error) {
        const { abortSignal } = context;
        if (abortSignal.aborted) throw error;
        const failure = failureOf(this.name, `the call of '${tool.name}'`, error, this.#connection.problem);
        const mayRepeat = failure.kind === 'unsent' || (failure.kind === 'unknown' && idempotent);
        if (failure.kind !== 'certain' && used !== undefined) this.#connection.leave(used);
        if (!mayRepeat || attempt >= (failure.kind === 'unsent' ? 2 : maxAttempts)) throw failure.error;
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
      }
    }
  }

  async resources(): Promise<readonly McpResource[]> {
    const found = await this.#ask('the list of resources', (client) => listResources(this.name, client, this.#limits));
    return found.map(({ uri, name, description, mimeType }) => ({ uri, name, description, mediaType: mimeType }));
  }

  /** Reads a resource: texts as texts, everything else as bytes. */
  async readResource(uri: string): Promise<readonly McpPart[]> {
    const { timeout } = this.#limits;
    const { contents } = await this.#ask(`the resource '${uri}'`, (client) =>
      client.readResource({ uri }, { timeout }),
    );
    return contents.map(resourceOf);
  }

  async prompts(): Promise<readonly McpPrompt[]> {
    const found = await this.#ask('the list of prompts', (client) => listPrompts(this.name, client, this.#limits));
    return found.map(({ name, description, arguments: parameters = [] }) => ({
      name,
      description,
      parameters: parameters.map((one) => ({ name: one.name, required: one.required === true })),
    }));
  }

  async prompt(name: string, parameters: Readonly<Record<string, string>> = {}): Promise<readonly McpPromptMessage[]> {
    const { timeout } = this.#limits;
    const { messages } = await this.#ask(`the prompt '${name}'`, (client) =>
      client.getPrompt({ name, arguments: { ...parameters } }, { timeout }),
    );
    return messages.map(({ role, content }) => ({ role, part: partOf(content) }));
  }

  /** Ends the connection for good. A kit that was given its tools closes it, too, but only until it is used again. */
  async close(): Promise<void> {
    this.#selections.clear();
    await this.#connection.close();
  }

  async #callOnce(
    client: Client,
    tool: Tool,
    input: Record<string, unknown>,
    { workspace, idempotencyKey, abortSignal }: ToolContext,
  ): Promise<unknown> {
    const { timeout, maxReplyBytes } = this.#limits;
    const { onProgress } = this.#options;
    const result = await client.callTool(
      { name: tool.name, arguments: input, _meta: { 'statek/idempotencyKey': idempotencyKey } },
      {
        signal: abortSignal,
        timeout,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: timeout * 10,
        toolDefinition: tool,
        onprogress: ({ progress, total, message }) =>
          onProgress?.({ tool: tool.name, workspace, progress, total, message }),
      },
    );
    const size = Buffer.byteLength(JSON.stringify(result));
    if (size > maxReplyBytes)
      throw new McpLimitError(
        `The call of '${tool.name}' was made, but the MCP server '${this.name}' answered with ${size} bytes, and ${maxReplyBytes} are allowed. Ask for less, or raise 'maxReplyBytes'.`,
        { server: this.name, tool: tool.name, size, limit: maxReplyBytes },
      );
    if (result.isError === true)
      throw new McpToolError(cut(textOf(result), 10_000) || `'${tool.name}' has failed, and did not say why.`, {
        server: this.name,
        tool: tool.name,
      });
    return valueOf(result);
  }

  /** Asks for something that changes nothing; a lost connection is made again, once. */
  async #ask<Result>(what: string, action: (client: Client) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      let used: Client | undefined;
      try {
        return await this.#connection.use((client) => {
          used = client;
          return action(client);
        });
      } catch (error) {
        const failure = failureOf(this.name, what, error, this.#connection.problem);
        if (failure.kind !== 'certain' && used !== undefined) this.#connection.leave(used);
        if (failure.kind === 'certain') throw failure.error;
        if (attempt > 1)
          throw failure.error instanceof McpConnectionError
            ? failure.error
            : new McpConnectionError(`The MCP server '${this.name}' did not give ${what}: ${failure.error.message}`, {
                server: this.name,
              });
      }
    }
  }

  #listed(): Promise<readonly Tool[]> {
    return this.#ask('the list of tools', (client) => listTools(this.name, client, this.#limits));
  }

  #changed(): void {
    const before = this.#changing;
    this.#changing = this.#readAgain(before);
  }

  async #readAgain(before: Promise<void>): Promise<void> {
    await before;
    // Whoever connects next reads the list again.
    if (!this.#connection.isOpen()) return;
    try {
      const listed = await this.#connection.use((client) => listTools(this.name, client, this.#limits));
      for (const update of this.#selections) update(listed);
    } catch (error) {
      // What is known of its tools stays good until the server can say otherwise.
      if (this.#connection.isOpen())
        process.emitWarning(`The tools of the MCP server '${this.name}' could not be read again: ${String(error)}`, {
          type: 'StatekWarning',
        });
    }
  }

  /** A server that takes its time must not hold up those who submit jobs. */
  async #settled(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxWait)));
    await Promise.race([this.#changing, late]);
    clearTimeout(timer);
  }

  #hold(): () => Promise<void> {
    this.#users++;
    let isHeld = true;
    return async () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#users === 0) await this.#connection.drop();
    };
  }
}
