// `statek approve` and `statek deny`: decide what a program or call waits for.
import type { Command } from '../../line/command.ts';
import { findSubject } from '../../../workspace/futures/future-subject.ts';
import { declined, isConfirmed, yes } from '../../shown/confirm.ts';
import { exitCodes } from '../../line/exit-codes.ts';
import { findFuture } from '../../shown/identify.ts';
import { harmless, oneLine } from '../../output/style.ts';

const decision = {
  syntax: '<decision>',
  description: 'its id as shown by statek waiting, or the job if it has only one open decision',
};
const by = { flags: '--by <name>', description: 'who decided; recorded' };
const wanted = { what: 'decision', fits: ({ undecided }: { readonly undecided: boolean }): boolean => undecided };

export const approve: Command = {
  name: 'approve',
  group: 'Act',
  summary: 'approve a request of a program, a call that needs approval, or repeating a call',
  arguments: [decision],
  options: [by, { flags: '--comment <text>', description: 'a comment; recorded' }, yes],
  details:
    'On a terminal it shows the call with its arguments, or the question with its details, and asks for confirmation.',
  examples: [['approve 3f2a/7 --by Ann --comment "within budget"', 'the call is made']],
  async run(session, given) {
    const kit = await session.kit('look');
    const id = await findFuture(kit, given.text('decision'), wanted);
    if (!(await isConfirmed(session, given, id, { question: 'Approve this?' }))) return declined(session);
    const subject = await findSubject(kit.store, id);
    await kit.approve(id, { by: given.optional('by'), comment: given.optional('comment') });
    if (session.out.isJson) session.out.json({ id, approved: true, ...subject });
    else session.out.line(`Approved ${harmless(id)}${subject === undefined ? '' : `: ${oneLine(subject.text)}`}`);
    return exitCodes.ok;
  },
};

export const deny: Command = {
  name: 'deny',
  group: 'Act',
  summary: 'deny what approve would allow: the program gets a DeniedError',
  arguments: [decision, { syntax: '[why]', description: 'the reason the program is given' }],
  options: [by, yes],
  details: 'On a terminal it shows what is denied and asks for confirmation.',
  examples: [['deny 3f2a/7 "too expensive" --by Ann', 'the call is not made']],
  async run(session, given) {
    const kit = await session.kit('look');
    const id = await findFuture(kit, given.text('decision'), wanted);
    const why = given.optional('why');
    const more = [['reason', why === undefined ? undefined : harmless(why)]] as const;
    if (!(await isConfirmed(session, given, id, { question: 'Deny this?', more }))) return declined(session);
    const subject = await findSubject(kit.store, id);
    await kit.deny(id, why, { by: given.optional('by') });
    if (session.out.isJson) session.out.json({ id, approved: false, ...subject });
    else session.out.line(`Denied ${harmless(id)}${subject === undefined ? '' : `: ${oneLine(subject.text)}`}`);
    return exitCodes.ok;
  },
};
