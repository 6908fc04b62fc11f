// `statek compare`: two jobs side by side.
import type { ChatItem } from '../../../agents/chat/item.ts';
import { messageText } from '../../../models/message.ts';
import type { JobCall } from '../../../jobs/journal/call-journal.ts';
import type { Command } from '../../line/command.ts';
import { jobRecord, statusText } from '../../shown/describe.ts';
import { findJob } from '../../shown/identify.ts';
import { harmless, oneLine } from '../../output/style.ts';

export const compare: Command = {
  name: 'compare',
  group: 'History',
  summary: 'show in what two jobs differ: variables, conversation, calls and cost',
  details: 'Mostly a job and a fork of it: what both have from before they part is counted, not shown.',
  arguments: [
    { syntax: '<a>', description: 'a job' },
    { syntax: '<b>', description: 'another job' },
  ],
  examples: [['compare 3f2a what-if', 'a job and a fork of it']],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const [a, b] = [await findJob(kit, given.text('a')), await findJob(kit, given.text('b'))];
    const { base, variables, chat, calls, usage } = await a.compare(b);
    if (out.isJson) {
      const plain = ({ id, by, name, state }: JobCall): unknown => ({ id, by, name, state });
      out.json({
        a: jobRecord(a),
        b: jobRecord(b),
        base: base ?? null,
        variables,
        chat,
        calls: { shared: calls.shared, a: calls.a.map(plain), b: calls.b.map(plain) },
        usage: { a: costOf(usage.a), b: costOf(usage.b) },
      });
      return;
    }
    const both = (text: (of: 'a' | 'b') => string): string => `${text('a')}  |  ${text('b')}`;
    out.facts([
      ['jobs', both((of) => harmless((of === 'a' ? a : b).id))],
      ['status', both((of) => statusText(of === 'a' ? a : b))],
      ['part at', base === undefined ? 'they have no commit in common' : base.slice(0, 12)],
      ['turns', both((of) => String(usage[of].turns.length))],
      ['tokens', both((of) => `${usage[of].tokens.input} in, ${usage[of].tokens.output} out`)],
      ['cost', both((of) => `$${usage[of].cost.toFixed(4)}`)],
    ]);
    out.heading(`Variables (${variables.length} differ)`);
    for (const { name, a: mine, b: other } of variables) {
      if (mine !== undefined) out.line(out.style.red(`- ${harmless(name)} = ${oneLine(mine)}`));
      if (other !== undefined) out.line(out.style.green(`+ ${harmless(name)} = ${oneLine(other)}`));
    }
    out.heading(`Conversation (${chat.shared} items in common)`);
    out.lines(chat.a.map((item) => out.style.red(`- ${itemLine(item)}`)));
    out.lines(chat.b.map((item) => out.style.green(`+ ${itemLine(item)}`)));
    out.heading(`Calls (${calls.shared} in common)`);
    out.lines(calls.a.map((call) => out.style.red(`- ${oneLine(call.name)} ${call.state}`)));
    out.lines(calls.b.map((call) => out.style.green(`+ ${oneLine(call.name)} ${call.state}`)));
  },
};

function costOf({ turns, tokens, cost }: { turns: readonly unknown[]; tokens: unknown; cost: number }): unknown {
  return { turns: turns.length, tokens, cost };
}

function itemLine(item: ChatItem): string {
  return `${item.kind}: ${oneLine(harmless(itemText(item)))}`;
}

function itemText(item: ChatItem): string {
  if (item.kind === 'reply') return messageText(item.message);
  if (item.kind === 'result') return item.output;
  if (item.kind !== 'step') return item.text;
  const { console, value, error, exit } = item;
  const end =
    exit === undefined ? (error === undefined ? value : `${error.name}: ${error.message}`) : `exit with ${exit}`;
  return [...console, ...(end === undefined ? [] : [end])].join('\n') || item.status;
}
