// `statek waiting`: lists what jobs and workspaces wait for.
import type { Command } from '../../line/command.ts';
import { commandToEnd, placeText, shownId, timeText, waitedFor } from '../../shown/describe.ts';
import { findTarget } from '../../shown/identify.ts';
import { harmless, oneLine } from '../../output/style.ts';
import { everythingPending, type Pending } from '../../shown/pending.ts';

const kinds = ['call', 'sleep', 'until', 'signal', 'ask', 'approve', 'child', 'subtask', 'message', 'version'];

export const waiting: Command = {
  name: 'waiting',
  group: 'Look',
  summary: 'list what jobs and workspaces wait for, and the command that ends each wait',
  arguments: [{ syntax: '[id]', description: 'only this job or workspace' }],
  options: [
    { flags: '-k, --kind <kind>', description: 'only waits of this kind', choices: kinds },
    { flags: '-r, --role <role>', description: 'only jobs of this role' },
    { flags: '--people', description: 'only waits for people: questions, decisions, messages' },
  ],
  examples: [
    ['waiting', 'everything'],
    ['waiting --people', 'what is waiting for you'],
  ],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const only = given.has('id') ? (await findTarget(kit, given.text('id'))).id : undefined;
    const [kind, role] = [given.optional('kind'), given.optional('role')];
    const found: Pending[] = [];
    const wanted = { kind: kind as Pending['kind'] | undefined, people: given.flag('people') };
    for await (const pending of everythingPending(kit, wanted)) {
      if (only !== undefined && pending.workspace !== only) continue;
      if (kind !== undefined && pending.kind !== kind) continue;
      if (role !== undefined && pending.role !== role) continue;
      if (given.flag('people') && !(pending.undecided || pending.kind === 'ask' || pending.kind === 'message'))
        continue;
      found.push(pending);
      session.signal.throwIfAborted();
    }
    if (out.isJson) {
      out.json(found);
      return;
    }
    if (found.length === 0) {
      out.note('Nothing is waiting.');
      return;
    }
    out.table(found, [
      { title: 'WHO', text: ({ workspace }) => shownId(workspace, out), minWidth: 8 },
      { title: 'ROLE', text: ({ role: of = '' }) => oneLine(of), minWidth: 6 },
      { title: 'WAITS FOR', text: waitedFor, minWidth: 16, style: (text) => out.style.yellow(text) },
      { title: 'AT', text: ({ at }) => (at === undefined ? '' : placeText(at)) },
      { title: 'SINCE', text: ({ since }) => timeText(since) },
      { title: 'DUE', text: ({ due }) => timeText(due) },
      { title: 'COMMAND', text: (pending) => harmless(commandToEnd(pending)), minWidth: 12 },
    ]);
  },
};
