// What goes wrong with servers of tools.
import { StatekError } from '../../base/error.ts';

/** The server cannot be reached, started or agreed with. Nothing was asked of it. */
export class McpConnectionError extends StatekError {
  readonly code = 'MCP_CONNECTION';
}

/** The server says that a call has failed; its words are the message. */
export class McpToolError extends StatekError {
  readonly code = 'MCP_TOOL';
}

/** The server offers something that cannot be a tool here: a name, two of the same name, a schema. */
export class McpDefinitionError extends StatekError {
  readonly code = 'MCP_DEFINITION';
}

/** The server has sent more than it may. */
export class McpLimitError extends StatekError {
  readonly code = 'MCP_LIMIT';
}

/** The server has sent something that the protocol does not allow, or that its own schema does not. */
export class McpProtocolError extends StatekError {
  readonly code = 'MCP_PROTOCOL';
}
