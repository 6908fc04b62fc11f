// The agents of a fleet run and the model that answers all of them. What it answers follows from the request alone, so that
// any process can go on with any job; and everything it serves is written down before it is given.
import { appendFileSync } from 'node:fs';
import { Agent, DialogAgent, messageText, tool, type ChatStyle } from '../../src/index.ts';
import type { BackendRequest } from '../../src/models.ts';
import type { ModelBackend } from '../../src/models.ts';

const styles: readonly ChatStyle[] = ['MARKDOWN', 'CONSOLE', 'MD_DIALOG', 'DIRECT', 'MARKDOWN'];

export function agentsOf(count: number): readonly Agent[] {
  const double = tool({ name: 'double', idempotent: true, execute: async (n: number) => Promise.resolve(n * 2) });
  return Array.from({ length: count }, (_, index) => {
    const style = styles[index % styles.length] ?? 'MARKDOWN';
    const options = { role: `agent ${index}`, metadata: { MODEL: 'fleet', CHAT_STYLE: style }, tools: [double] };
    return style === 'MD_DIALOG' ? new DialogAgent({ ...options, sendMessage: () => undefined }) : new Agent(options);
  });
}

/** How many turns a job takes, and what it ends with. */
export function planOf(job: number): { readonly turns: number; readonly result: number } {
  const turns = 2 + (job % 4);
  let result = 0;
  for (let turn = 1; turn < turns; turn++) result += turn % 2 === 0 ? turn * 2 : turn;
  return { turns, result };
}

/** What one turn of a job uses: sums of these are exact. */
export function usageOf(job: number, turn: number): { readonly input: number; readonly output: number; cost: number } {
  return { input: 100 + job, output: 10 + turn, cost: (1 + (job % 7)) / 1024 };
}

export interface Served {
  readonly job: number;
  readonly turn: number;
}

export function fleetModel(file: string): ModelBackend {
  return {
    provider: 'scripted',
    model: 'fleet',
    answer: (request) => {
      const job = Number(/Job (\d+)\./.exec(request.messages.map(messageText).join('\n'))?.[1]);
      const turn = request.messages.filter(({ role }) => role === 'assistant').length + 1;
      const { input, output, cost } = usageOf(job, turn);
      appendFileSync(file, `${JSON.stringify({ job, turn } satisfies Served)}\n`);
      return Promise.resolve({
        ...reply(job, turn, request),
        tokens: { input, output, cached: 0, cacheWrite: 0, reasoning: 0 },
        cost,
      });
    },
  };
}

function reply(job: number, turn: number, { tools = [] }: BackendRequest) {
  const { turns, result } = planOf(job);
  const code =
    turn < turns
      ? `globalThis.sum = (globalThis.sum ?? 0) + ${turn % 2 === 0 ? `await double(${turn})` : turn}; print(sum)`
      : 'exit(sum)';
  const isDirect = tools.some(({ name }) => name === 'ts_cli');
  if (isDirect)
    return {
      content: [{ type: 'tool-call' as const, id: `${job}-${turn}`, name: 'ts_cli', input: { code } }],
      finish: 'tool-calls' as const,
    };
  const style = styleOf(job);
  const isAnswer = turn === turns && style === 'MD_DIALOG';
  const text = isAnswer ? String(result) : style === 'CONSOLE' ? code : `\`\`\`ts\n${code}\n\`\`\``;
  return { content: [{ type: 'text' as const, text }], finish: 'stop' as const };
}

let agentCount = 1;

/** The jobs go round the agents, and the agents round the styles. */
export function setAgents(count: number): void {
  agentCount = count;
}

export function styleOf(job: number): ChatStyle {
  return styles[(job % agentCount) % styles.length] ?? 'MARKDOWN';
}
