// `statek answer`: answers a question asked by a program.
import type { Command } from '../../line/command.ts';
import { findSubject } from '../../../workspace/futures/future-subject.ts';
import { declined, isConfirmed, yes } from '../../shown/confirm.ts';
import { exitCodes } from '../../line/exit-codes.ts';
import { findFuture } from '../../shown/identify.ts';
import { harmless, oneLine } from '../../output/style.ts';
import { jsonOrFile } from '../../line/parse.ts';

export const answer: Command = {
  name: 'answer',
  group: 'Act',
  summary: 'answer a question asked by a program',
  arguments: [
    {
      syntax: '<question>',
      description: 'its id as shown by statek waiting, or the job if it has only one open question',
    },
    { syntax: '<value>', description: 'the answer, as text' },
  ],
  options: [{ flags: '--data', description: 'the value is JSON, or @file' }, yes],
  details: 'On a terminal it shows the question and its details and asks for confirmation.',
  examples: [
    ['answer 3f2a/4 Thursday', 'answer with a string'],
    ["answer 3f2a '[1, 2]' --data", 'answer the only open question of a job with JSON'],
  ],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const text = given.text('value');
    const value = given.flag('data') ? jsonOrFile('the value', text, session.folder) : text;
    const id = await findFuture(kit, given.text('question'), { what: 'question', fits: ({ kind }) => kind === 'ask' });
    const more = [['answer', harmless(typeof value === 'string' ? value : JSON.stringify(value, null, 2))]] as const;
    if (!(await isConfirmed(session, given, id, { question: 'Send this answer?', more }))) return declined(session);
    const subject = await findSubject(kit.store, id);
    await kit.answer(id, value);
    if (out.isJson) out.json({ id, value, ...subject });
    else out.line(`Answered ${harmless(id)}${subject === undefined ? '' : `: ${oneLine(subject.text)}`}`);
    return exitCodes.ok;
  },
};
