// The agent of the test that kills a process in the middle of a call.
import { Agent } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp.ts';
import { scriptedModel, type ScriptedModel } from '../../../src/testing.ts';
import type { Place } from './place.ts';

export async function deskAgent(place: Place): Promise<Agent> {
  const desk = await mcpServer(place.command());
  return new Agent({ role: 'clerk', metadata: { MODEL: 'script' }, tools: await desk.tools() });
}

export function deskScript(tool: string): ScriptedModel {
  return scriptedModel([
    `\`\`\`ts\nlet outcome = await ${tool}().catch((error) => error.code);\nexit(outcome)\n\`\`\``,
  ]);
}
