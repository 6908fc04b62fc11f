// Everything `statek/mcp` exports: tools of MCP servers for agents, and a kit as an MCP server.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';
export type { McpPart } from './agents/mcp/content.ts';
export {
  McpConnectionError,
  McpDefinitionError,
  McpLimitError,
  McpProtocolError,
  McpToolError,
} from './agents/mcp/errors.ts';
export type { McpToolInfo } from './agents/mcp/listing.ts';
export type {
  McpCommandOptions,
  McpCommonOptions,
  McpProgress,
  McpServerOptions,
  McpTransportOptions,
  McpUrlOptions,
} from './agents/mcp/options.ts';
export {
  mcpServer,
  type McpPrompt,
  type McpPromptMessage,
  type McpResource,
  type McpToolServer,
} from './agents/mcp/server.ts';
export type { McpTool, McpToolSettings, McpToolsOptions } from './agents/mcp/tools.ts';
export { serveMcpHttp, type ServedMcpHttp } from './server/mcp/http.ts';
export type { McpAccessOptions, McpHttpOptions } from './server/mcp/options.ts';
export { serveMcp } from './server/mcp/serve.ts';
export { serveMcpStdio, type ServedMcp } from './server/mcp/stdio.ts';
