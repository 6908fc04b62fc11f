// Kinds of agents that work through others: one that finds and asks them, one that answers questions, and one that hands
// messages to the right conversation.
import { InvalidOptionError } from '../../base/options.ts';
import { SupervisedAgent } from './supervised-agent.ts';
import type { Language } from '../prompts/metadata.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import type { MemoryRuntime } from '../tools/memory-tools.ts';
import type { Reader } from '../tools/reading-tools.ts';
import { needed, systemTool, type SystemRuntime, type ThreadOptions, type ToolOwner } from '../tools/system-tools.ts';
import { tool, type ToolContext } from '../tools/tool.ts';
import type { KnownTool } from '../tools/toolbox.ts';

type Runtime = SystemRuntime & MemoryRuntime;

/** Gives work to other agents: `findAgents(query?)` tells which there are, `delegate(role, …)` asks one. */
export class Coordinator extends SupervisedAgent {
  /** @internal */
  override systemTools(owner: ToolOwner & Reader, runtime: Runtime | undefined): readonly KnownTool[] {
    return [...super.systemTools(owner, runtime), findAgents(this.role, runtime)];
  }
}

/** Answers a question: `ask(question)` asks back, `answer(value)` is the result. */
export class Researcher extends SupervisedAgent {
  /** @internal In a dialog its text would be the answer already. */
  override get ownStyle(): ChatStyle {
    return 'MARKDOWN';
  }

  /** @internal */
  override ownPrelude(language: Language): string {
    return language === 'python'
      ? '#STATEK: hidden = True\ndef answer(value=None):\n    exit(value)'
      : '//STATEK: hidden = True\nfunction answer(value) { exit(value) }';
  }
}

/** Hands messages on: `chatHistory(thread)`, `startNewThread(role, message, { vars })`, `dispatchTo(thread, message)`. */
export class MessageDispatcher extends SupervisedAgent {
  /** @internal */
  override systemTools(owner: ToolOwner & Reader, runtime: Runtime | undefined): readonly KnownTool[] {
    return [...super.systemTools(owner, runtime), findAgents(this.role, runtime), ...threadTools(runtime)];
  }
}

function findAgents(own: string, runtime: Runtime | undefined): KnownTool {
  return systemTool(
    tool<{ query?: string }, ReturnType<Runtime['roles']>>({
      name: 'findAgents',
      description: 'The agents there are, or those whose role, description or capabilities have the words of a query.',
      input: { type: 'object', properties: { query: { type: 'string' } } },
      execute: ({ query = '' }) => {
        const words = query.toLowerCase().split(/\s+/).filter(Boolean);
        return needed(runtime)
          .roles()
          .filter(({ role }) => role !== own)
          .filter((one) =>
            words.every((word) =>
              `${one.role} ${one.description} ${one.capabilities.join(' ')}`.toLowerCase().includes(word),
            ),
          );
      },
    }),
  );
}

function threadTools(runtime: Runtime | undefined): KnownTool[] {
  const text = { type: 'string' };
  const history = tool<{ thread: string; limit?: number }, Promise<string>>({
    name: 'chatHistory',
    description: 'What was said in a conversation.',
    input: { type: 'object', properties: { thread: text, limit: { type: 'integer' } }, required: ['thread'] },
    idempotent: true,
    execute: async ({ thread, limit = 20 }) => {
      const pairs = (await needed(runtime).dialog(thread)).slice(-limit);
      const lines = pairs.flatMap(({ message, answers }) => [
        ...(message === undefined ? [] : [`user: ${message}`]),
        ...answers.map((answer) => `agent: ${answer}`),
      ]);
      return lines.join('\n') || 'Nothing was said yet.';
    },
  });
  const members = { type: 'object', additionalProperties: {} };
  const start = tool<{ role: string; message: string } & ThreadOptions, Promise<string>>({
    name: 'startNewThread',
    description:
      'Starts a conversation with an agent, which has the variables and the parameters of its prompt that it is given; returns its id.',
    input: {
      type: 'object',
      properties: { role: text, message: text, vars: members, parameters: members },
      required: ['role', 'message'],
    },
    // The conversation is named after the call: made twice, it is one.
    idempotent: true,
    execute: async ({ role, message, ...options }, { idempotencyKey }: ToolContext) => {
      if (
        !needed(runtime)
          .roles()
          .some((one) => one.role === role)
      )
        throw new InvalidOptionError(`There is no agent '${role}'; findAgents() tells which there are.`, { role });
      return needed(runtime).startThread(role, `thread ${idempotencyKey}`, message, options);
    },
  });
  const dispatch = tool<{ thread: string; message: string }, Promise<void>>({
    name: 'dispatchTo',
    description: 'Says something in a conversation.',
    input: { type: 'object', properties: { thread: text, message: text }, required: ['thread', 'message'] },
    execute: async ({ thread, message }) => {
      await needed(runtime).say(thread, message);
    },
  });
  return [history, start, dispatch].map(systemTool);
}
