// What the model says when no real one is asked: the same replies in TypeScript and in Python. Everything else is real.
export type Language = 'typescript' | 'python';

export const messages = [
  'I am away on Wednesday. Please move weekly planning and the design review to later this week.',
  'And is my Wednesday free now?',
] as const;

const program = {
  typescript: `const moved = [];
let slot;
for (const title of ['Weekly planning', 'Design review']) {
  const meeting = calendar.findMeeting(title);
  slot = calendar.findEmptySlot(meeting.minutes, { after: new Date('2026-03-05') });
  await approve(\`Move '\${title}' to \${slot.label}?\`);
  meeting.moveTo(slot);
  await sendMail([...meeting.attendees], \`\${title} is now on \${slot.label}.\`);
  moved.push(\`\${title}: \${slot.label}\`);
}
print(moved);`,
  python: `from datetime import datetime, timezone
moved = []
for title in ['Weekly planning', 'Design review']:
    meeting = calendar.find_meeting(title)
    slot = calendar.find_empty_slot(meeting.minutes, after=datetime(2026, 3, 5, tzinfo=timezone.utc))
    approve(f"Move '{title}' to {slot['label']}?")
    meeting.move_to(slot)
    send_mail(list(meeting.attendees), f"{title} is now on {slot['label']}.")
    moved.append(f"{title}: {slot['label']}")
print(moved)`,
};

const look = {
  typescript: `const wednesday = calendar.on(new Date('2026-03-04'));
print(wednesday.length, 'meetings on Wednesday');`,
  python: `wednesday = calendar.on(datetime(2026, 3, 4, tzinfo=timezone.utc))
print(len(wednesday), 'meetings on Wednesday')`,
};

const begin = {
  typescript: `const thread = await startNewThread('scheduler', ${JSON.stringify(messages[0])});
exit(thread);`,
  python: `thread = start_new_thread('scheduler', ${JSON.stringify(messages[0])})
exit(thread)`,
};

const handOn = {
  typescript: `await dispatchTo(thread, ${JSON.stringify(messages[1])});
exit(thread);`,
  python: `dispatch_to(thread, ${JSON.stringify(messages[1])})
exit(thread)`,
};

/** What each agent's model replies, turn by turn. */
export function repliesIn(language: Language): { readonly dispatcher: string[]; readonly scheduler: string[] } {
  const code = (of: Readonly<Record<Language, string>>): string =>
    `\`\`\`${language === 'python' ? 'python' : 'ts'}\n${of[language]}\n\`\`\``;
  return {
    dispatcher: [code(begin), code(handOn)],
    scheduler: [
      `I look for free time after Wednesday, and ask you before I move anything.\n${code(program)}`,
      code(look),
      'Both are moved: weekly planning is on Thursday at 11:00, the design review on Thursday at 14:00. Your Wednesday is free.',
    ],
  };
}
