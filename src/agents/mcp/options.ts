// How a server of tools is reached, and what it may cost.
import type { Transport } from '@modelcontextprotocol/client';
import {
  choiceOption,
  InvalidOptionError,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../../base/options.ts';

/** What a call tells while it is under way. */
export interface McpProgress {
  readonly tool: string;
  /** The workspace or job the call was asked for in. */
  readonly workspace: string;
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

/** What connections of any kind are made with. */
export interface McpCommonOptions {
  /** What it is called in messages. */
  readonly name: string;
  /** Milliseconds to start and to agree on a protocol; default: 30,000. */
  readonly connectTimeout?: number | undefined;
  /** Milliseconds without a word from the server after which a request has failed; default: 60,000. */
  readonly timeout?: number | undefined;
  /** The largest reply, in bytes; default: 4 MiB. */
  readonly maxReplyBytes?: number | undefined;
  /** Tools that are taken from it at most; default: 200. */
  readonly maxTools?: number | undefined;
  /** The largest definition of one tool, in bytes; default: 64 KiB. */
  readonly maxDefinitionBytes?: number | undefined;
  /** `auto` asks the server which protocol it speaks, `legacy` takes that of 2025 without asking. */
  readonly protocol?: 'auto' | 'legacy' | undefined;
  /** Told of the progress of calls. It is not kept. */
  readonly onProgress?: ((progress: McpProgress) => void) | undefined;
}

/** A program that is started, and spoken to over its standard input and output. */
export interface McpCommandOptions extends McpCommonOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Besides the few harmless variables that every program gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** A server on the network. */
export interface McpUrlOptions extends McpCommonOptions {
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Anything else that carries messages; a function can make it anew after the connection was lost. */
export interface McpTransportOptions extends McpCommonOptions {
  readonly transport: Transport | (() => Transport);
}

/** How an MCP server is reached: as a program that is started, at an address, or over any transport. */
export type McpServerOptions = McpCommandOptions | McpUrlOptions | McpTransportOptions;

export interface McpLimits {
  readonly connectTimeout: number;
  readonly timeout: number;
  readonly maxReplyBytes: number;
  readonly maxTools: number;
  readonly maxDefinitionBytes: number;
}

const common: OptionNames<McpCommonOptions> = {
  name: true,
  connectTimeout: true,
  timeout: true,
  maxReplyBytes: true,
  maxTools: true,
  maxDefinitionBytes: true,
  protocol: true,
  onProgress: true,
};
const command: OptionNames<McpCommandOptions> = { ...common, command: true, args: true, env: true, cwd: true };
const url: OptionNames<McpUrlOptions> = { ...common, url: true, headers: true };
const transport: OptionNames<McpTransportOptions> = { ...common, transport: true };
const ways = [
  { sign: 'command', names: command },
  { sign: 'url', names: url },
  { sign: 'transport', names: transport },
];

export function checkOptions(options: McpServerOptions): McpLimits {
  const [way, another] = ways.filter(({ sign }) => (Reflect.get(options, sign) as unknown) !== undefined);
  if (way === undefined || another !== undefined)
    throw new InvalidOptionError("mcpServer: give one of 'command', 'url' and 'transport'.", { name: 'command' });
  refuseUnknownOptions<McpCommonOptions>('mcpServer', options, way.names);
  const { name, protocol, connectTimeout = 30_000, timeout = 60_000, maxTools = 200 } = options;
  const { maxReplyBytes = 4 * 2 ** 20, maxDefinitionBytes = 64 * 1024 } = options;
  if (typeof name !== 'string' || name === '' || name.length > 100)
    throw new InvalidOptionError('mcpServer: a server needs a name of 1 to 100 characters.', { name: 'name' });
  if ('url' in options) refuseCredentials(name, options.url);
  if (protocol !== undefined) choiceOption('mcpServer', 'protocol', protocol, ['auto', 'legacy']);
  const number = (option: string, value: number, least: number, most: number): number =>
    wholeNumberOption(`mcpServer '${name}'`, option, value, least, most);
  return {
    connectTimeout: number('connectTimeout', connectTimeout, 1, 3_600_000),
    timeout: number('timeout', timeout, 1, 24 * 3_600_000),
    maxReplyBytes: number('maxReplyBytes', maxReplyBytes, 1024, 256 * 2 ** 20),
    maxTools: number('maxTools', maxTools, 1, 10_000),
    maxDefinitionBytes: number('maxDefinitionBytes', maxDefinitionBytes, 256, 16 * 2 ** 20),
  };
}

/** Requests cannot have them in their address, and errors would show it. */
function refuseCredentials(name: string, address: string | URL): void {
  const parsed = URL.parse(String(address));
  if (parsed === null)
    throw new InvalidOptionError(`mcpServer '${name}': option 'url' must be an address, such as https://host/mcp.`, {
      name: 'url',
    });
  if (parsed.username !== '' || parsed.password !== '')
    throw new InvalidOptionError(
      `mcpServer '${name}': option 'url' has a user or password in it. Send them in 'headers', as authorization.`,
      { name: 'url' },
    );
}
