// Serves a kit over MCP, over either transport.
import type { Statek } from '../../kit/statek.ts';
import { serveMcpHttp, type ServedMcpHttp } from './http.ts';
import type { McpAccessOptions, McpHttpOptions } from './options.ts';
import { serveMcpStdio, type ServedMcp } from './stdio.ts';

/** Serves a kit to MCP clients: over HTTP with a `port`, and otherwise over standard input and output. */
export function serveMcp(kit: Statek, options: McpHttpOptions): Promise<ServedMcpHttp>;
export function serveMcp(kit: Statek, options?: McpAccessOptions): Promise<ServedMcp>;
export async function serveMcp(
  kit: Statek,
  options: McpAccessOptions | McpHttpOptions = {},
): Promise<ServedMcp | ServedMcpHttp> {
  return 'port' in options ? serveMcpHttp(kit, options) : serveMcpStdio(kit, options);
}
