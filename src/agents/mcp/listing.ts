// What a server offers, read page by page and within bounds: a server could list without end.
import type { Client, Prompt, Resource, Tool } from '@modelcontextprotocol/client';
import { McpLimitError } from './errors.ts';
import type { McpLimits } from './options.ts';

/** A tool as its server describes it. What it says of its own effects is a hint, and no promise. */
export interface McpToolInfo {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: Tool['inputSchema'];
  readonly outputSchema: Tool['outputSchema'] | undefined;
  readonly annotations: {
    readonly readOnlyHint?: boolean | undefined;
    readonly destructiveHint?: boolean | undefined;
    readonly idempotentHint?: boolean | undefined;
    readonly openWorldHint?: boolean | undefined;
  };
}

const maxPages = 100;
/** Other things than tools are only listed, and so can be more. */
const maxItems = 10_000;

export async function listTools(server: string, client: Client, limits: McpLimits): Promise<readonly Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  return pages(server, 'tools', limits.maxTools, async (params) => {
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, { timeout: limits.timeout });
    return { items: tools, nextCursor };
  });
}

export async function listResources(
  server: string,
  client: Client,
  { timeout }: McpLimits,
): Promise<readonly Resource[]> {
  if (client.getServerCapabilities()?.resources === undefined) return [];
  return pages(server, 'resources', maxItems, async (params) => {
    const { resources, nextCursor } = await client.request({ method: 'resources/list', params }, { timeout });
    return { items: resources, nextCursor };
  });
}

export async function listPrompts(server: string, client: Client, { timeout }: McpLimits): Promise<readonly Prompt[]> {
  if (client.getServerCapabilities()?.prompts === undefined) return [];
  return pages(server, 'prompts', maxItems, async (params) => {
    const { prompts, nextCursor } = await client.request({ method: 'prompts/list', params }, { timeout });
    return { items: prompts, nextCursor };
  });
}

export function infoOf(tool: Tool): McpToolInfo {
  const { name, title, description = '', inputSchema, outputSchema, annotations = {} } = tool;
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return {
    name,
    title: title ?? annotations.title,
    description,
    inputSchema,
    outputSchema,
    annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint },
  };
}

async function pages<Item>(
  server: string,
  what: string,
  most: number,
  read: (params: { cursor?: string }) => Promise<{ items: readonly Item[]; nextCursor?: string | undefined }>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { items, nextCursor } = await read(cursor === undefined ? {} : { cursor });
    all.push(...items);
    if (all.length > most)
      throw new McpLimitError(`The MCP server '${server}' offers more than ${most} ${what}.`, { server, limit: most });
    if (nextCursor === undefined) return all;
    cursor = nextCursor;
  }
  throw new McpLimitError(`The MCP server '${server}' lists its ${what} on more than ${maxPages} pages.`, {
    server,
    limit: maxPages,
  });
}
