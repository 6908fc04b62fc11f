// A process that lets a program move a meeting while the application books others, says what is durable, and is killed.
import { Statek, type Step } from '../../src/index.ts';
import { Calendar, calendarClasses, firstStart, Meeting, movingProgram, planning } from './calendar.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

const [folder = '', count = '0'] = process.argv.slice(2);
const kit = await Statek.open({ store: folder, classes: calendarClasses, leaseMilliseconds: 400 });
const calendar = await kit.transaction(() => {
  const found = new Calendar();
  if (found.meetings.length === 0) found.meetings.push(new Meeting(planning, firstStart));
  return found;
});
const workspace = await kit.workspace('assistant', { vars: { calendar } });
if ((await workspace.commits({ limit: 3 })).length < 3) await workspace.run(movingProgram);
if ((await workspace.commits({ limit: 4 })).length < 4) await workspace.run(`await moveOften(${count})`);
process.send?.({ kind: 'begun' });

const settled = workspace.settled();
const confirmed = new Set<string>();
let told: unknown;
let step: Step | undefined;
while (step === undefined) {
  for (const { id, signal } of await workspace.waiting()) {
    if (signal === undefined || confirmed.has(id)) continue;
    confirmed.add(id);
    // Somebody else may want the slot the program has seen, before it is told to go on.
    if (confirmed.size % 3 === 1)
      await kit.transaction(() => {
        const meeting = calendar.findMeeting(planning) as Meeting;
        calendar.book('Another', meeting.start);
      });
    await kit.signal(signal);
  }
  const { moves } = await workspace.locals();
  // Only news: whoever kills this process counts them, so that each one gets a little further.
  if (moves !== told) process.send?.({ kind: 'moved', moves: (told = moves) });
  step = await Promise.race([settled, new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 5))]);
}
process.send?.({ kind: 'done', status: step.status, value: step.value });
// Killed here, without closing anything.
setInterval(() => undefined, 1000);
