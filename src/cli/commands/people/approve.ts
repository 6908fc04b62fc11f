// `statek approve` and `statek deny`: somebody agrees, or does not.
import type { Command } from '../../line/command.ts';
import { findSubject } from '../../../workspace/futures/future-subject.ts';
import { isConfirmed, left, yes } from '../../shown/confirm.ts';
import { exitCodes } from '../../line/exit-codes.ts';
import { findFuture } from '../../shown/identify.ts';
import { harmless, oneLine } from '../../output/style.ts';

const decision = {
  syntax: '<decision>',
  description: 'its id as statek waiting shows it, or the job that waits for one decision only',
};
const by = { flags: '--by <name>', description: 'who decides; it is recorded' };
const wanted = { what: 'decision', fits: ({ undecided }: { readonly undecided: boolean }): boolean => undecided };

export const approve: Command = {
  name: 'approve',
  group: 'Act',
  summary: 'agree to what a program asked, to a call that needs consent, or to making a call again',
  arguments: [decision],
  options: [by, { flags: '--comment <text>', description: 'a remark; it is recorded' }, yes],
  details: 'On a terminal it shows the call and its arguments, or the question and its details, and asks back.',
  examples: [['approve 3f2a/7 --by Ann --comment "within budget"', 'the call is made']],
  async run(session, given) {
    const kit = await session.kit('look');
    const id = await findFuture(kit, given.text('decision'), wanted);
    if (!(await isConfirmed(session, given, id, { question: 'Approve this?' }))) return left(session);
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
  summary: 'the opposite of approve: the program gets a DeniedError',
  arguments: [decision, { syntax: '[why]', description: 'what the program is told' }],
  options: [by, yes],
  details: 'On a terminal it shows what is denied, and asks back.',
  examples: [['deny 3f2a/7 "too expensive" --by Ann', 'the call is not made']],
  async run(session, given) {
    const kit = await session.kit('look');
    const id = await findFuture(kit, given.text('decision'), wanted);
    const why = given.optional('why');
    const more = [['reason', why === undefined ? undefined : harmless(why)]] as const;
    if (!(await isConfirmed(session, given, id, { question: 'Deny this?', more }))) return left(session);
    const subject = await findSubject(kit.store, id);
    await kit.deny(id, why, { by: given.optional('by') });
    if (session.out.isJson) session.out.json({ id, approved: false, ...subject });
    else session.out.line(`Denied ${harmless(id)}${subject === undefined ? '' : `: ${oneLine(subject.text)}`}`);
    return exitCodes.ok;
  },
};
