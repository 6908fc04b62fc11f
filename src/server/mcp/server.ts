// A kit as an MCP server: one per client over standard input and output, one per request over HTTP.
import { McpServer, type CallToolResult } from '@modelcontextprotocol/server';
import type { Redactor } from '../../base/redact.ts';
import { StatekError } from '../../base/error.ts';
import type { Statek } from '../../kit/statek.ts';
import { futureTools } from './future-tools.ts';
import { jobTools } from './job-tools.ts';
import type { KitTool } from './kit-tool.ts';
import type { Access } from './options.ts';
import { registerResources } from './resources.ts';
import { workspaceTools } from './workspace-tools.ts';

const allTools: readonly KitTool[] = [...jobTools, ...workspaceTools, ...futureTools];

const instructions =
  'Durable jobs of agents, and durable workspaces for code. Submit a job with submit_job and get its result with ' +
  'job_result; run code that keeps its variables with create_workspace and run_step. Everything survives restarts, and ' +
  'every step is a commit that can be inspected, forked and rolled back to.';

export function newServer(kit: Statek, access: Access): McpServer {
  const server = new McpServer(
    { name: access.name, version: '1' },
    {
      instructions,
      capabilities: { resources: { subscribe: true, listChanged: true } },
      maxToolInputElements: 100_000,
    },
  );
  for (const { name, kind, description, input, run } of allTools) {
    if (kind !== 'read' && access.readOnly) continue;
    if (kind === 'decide' && !access.approvals) continue;
    const annotations = { readOnlyHint: kind === 'read', openWorldHint: false };
    server.registerTool(name, { description, inputSchema: input, annotations }, async (given, context) => {
      try {
        const call = { kit, signal: context.mcpReq.signal, maxWait: access.maxWait, decidedBy: access.decidedBy };
        const value = await run(given as never, call);
        return answered(kit.redactor?.value(value) ?? value, access.maxReplyBytes);
      } catch (error) {
        return failed(error, kit.redactor);
      }
    });
  }
  registerResources(server, kit, access);
  return server;
}

function answered(value: unknown, maxBytes: number): CallToolResult {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > maxBytes)
    return failed(`The reply is larger than ${maxBytes} bytes. Request less, with 'limit' if the tool has it.`);
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) as Record<string, unknown> };
}

/** An error for the client. Errors other than those of Statek may reveal details of the host, so they are hidden. */
function failed(error: unknown, redactor?: Redactor): CallToolResult {
  const text =
    error instanceof StatekError
      ? `${error.code}: ${error.message}`
      : typeof error === 'string'
        ? error
        : 'Internal error of the server.';
  return { content: [{ type: 'text', text: (redactor?.text(text) ?? text).slice(0, 4000) }], isError: true };
}
