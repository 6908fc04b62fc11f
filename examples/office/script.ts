// What the models reply when no real one is asked. `small` serves three agents, `large` the hard turns and the review.
import { scriptedModel, type ScriptedModel, type ScriptStep } from 'statek/testing';
import { code } from '../models.ts';

export const messages = ['Please find a day in the week of 9 March for the sales team.', 'Can it start an hour later?'];

const small: ScriptStep[] = [
  code(
    'ts',
    `const thread = await startNewThread('schedule_assistant', ${JSON.stringify(messages[0])});`,
    'exit(thread);',
  ),
  code(
    'ts',
    "const rules = await delegate('information_retriever', { message: 'What are the rules for a team day?' });",
    'print(rules);',
  ),
  code('python', 'print(list_of_documents())', 'print(show_document("team days"))'),
  code('python', 'answer("Team days: Tuesday to Thursday, a room for everybody, not before 8:00 anywhere.")'),
  code('ts', '// Three time zones.', 'await panic();'),
  code('ts', `await dispatchTo(thread, ${JSON.stringify(messages[1])});`, 'exit(thread);'),
];

const meets = (time: string): string => `The sales team meets on Wednesday, 11 March, at ${time} UTC in the Attic.`;

const review = code(
  'python',
  'from datetime import date',
  'weekday = date.fromisoformat(booking["day"]).strftime("%A")',
  'exit({"approved": weekday in ("Tuesday", "Wednesday", "Thursday"), "why": f"It is a {weekday}."})',
);

const large: ScriptStep[] = [
  code(
    'ts',
    "const days = ['2026-03-10', '2026-03-11', '2026-03-12'].filter((day) => team.isFree(day));",
    "let booking = office.book(team.people.length, days[0], '09:00');",
    "print(booking, 'a salary:', team.people[0].salary);",
  ),
  meets('9:00'),
  // The reminder has held that back: the review comes first.
  code(
    'ts',
    "const verdict = await delegate('review_agent', { vars: { booking, rules }, message: 'Review this.' });",
    'print(verdict);',
  ),
  review,
  meets('9:00'),
  // The second message: it changes the booking and has it reviewed without being reminded.
  code(
    'ts',
    "booking = office.move(booking.day, '10:00');",
    "print(await delegate('review_agent', { vars: { booking, rules }, message: 'Review this again.' }));",
  ),
  review,
  meets('10:00'),
  meets('10:00'),
];

export const scripts: Readonly<Record<'small' | 'large', ScriptedModel>> = {
  small: scriptedModel(small),
  large: scriptedModel(large),
};
