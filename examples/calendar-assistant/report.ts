// What can be known afterwards, all of it from the store and the world outside: the facts, and how they are shown.
import { Calendar, type Meeting } from './calendar.ts';
import { picture } from './picture.ts';
import type { Language } from './script.ts';
import type { Played } from './story.ts';
import { chapter, paint } from './terminal.ts';
import { timelineOf, type Moment } from './timeline.ts';

export interface Report {
  readonly language: Language;
  readonly model: string;
  readonly store: string | undefined;
  readonly processes: readonly { readonly pid: number; readonly end: string | undefined }[];
  readonly meetings: readonly {
    readonly title: string;
    readonly before: string;
    readonly after: string;
    readonly moves: number;
  }[];
  readonly approvals: readonly {
    readonly question: string;
    readonly by: string | undefined;
    readonly approved: boolean | undefined;
  }[];
  readonly mails: readonly { readonly to: readonly string[]; readonly text: string; readonly requests: number }[];
  readonly chat: readonly string[];
  readonly variables: readonly {
    readonly name: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
  readonly timeTravel: { readonly commit: string; readonly question: string; readonly value: unknown };
  readonly commits: { readonly count: number; readonly bytes: number };
  readonly usage: { readonly turns: number; readonly input: number; readonly output: number; readonly dollars: number };
  readonly timeline: readonly Moment[];
}

export async function reportOn(
  { kit, outside, desk, thread, workers, events }: Played,
  { language, model, store }: Pick<Report, 'language' | 'model' | 'store'>,
): Promise<Report> {
  const commits = await thread.commits();
  const timeline = await timelineOf([desk, thread], workers, events);
  const isAsked = ({ lane, kind, text }: Moment): boolean =>
    lane === thread.role && kind === 'commit' && text.startsWith('asks:');
  const asking = timeline.find(isAsked)?.commit ?? commits.at(-1)?.hash ?? '';
  const last = commits[0]?.hash ?? '';
  const past = await thread.at(asking);
  const question = `calendar.${language === 'python' ? 'find_meeting' : 'findMeeting'}('Weekly planning').when()`;
  const revision = events.find(({ commit }) => commit === asking)?.revision ?? 0;
  const whens = (): Map<string, string> => new Map(meetings().map((meeting) => [meeting.title, meeting.when()]));
  const before = await kit.at(revision, whens);
  const usages = await Promise.all([desk.usage(), thread.usage()]);
  const sum = (of: (usage: (typeof usages)[number]) => number): number =>
    usages.reduce((total, one) => total + of(one), 0);
  return {
    language,
    model,
    store,
    processes: workers.map(({ pid, end }) => ({ pid, end })),
    meetings: meetings().map((meeting) => ({
      title: meeting.title,
      before: before.get(meeting.title) ?? '',
      after: meeting.when(),
      moves: meeting.moves,
    })),
    approvals: (await thread.decisions()).map(({ question: asked, by, approved }) => ({
      question: asked,
      by,
      approved,
    })),
    mails: outside.mails().map(({ key, to, text }) => ({ to, text, requests: outside.requests(key) })),
    chat: outside.chat().map(({ text }) => text),
    variables: (await thread.diff(asking, last)).map(({ name, before: old, after }) => ({ name, before: old, after })),
    timeTravel: { commit: asking, question, value: await past.run(question) },
    commits: { count: commits.length, bytes: commits.reduce((bytes, { storedBytes }) => bytes + storedBytes, 0) },
    usage: {
      turns: sum(({ turns }) => turns.length),
      input: sum(({ tokens }) => tokens.input),
      output: sum(({ tokens }) => tokens.output),
      dollars: sum(({ cost }) => cost),
    },
    timeline,
  };
}

function meetings(): readonly Meeting[] {
  return [...new Calendar().meetings];
}

/** The second half of what is printed. */
export function shown(report: Report): string[] {
  const { timeline, variables, timeTravel, usage, commits, mails, approvals } = report;
  const moved = report.meetings.filter(({ moves }) => moves > 0);
  const short = timeTravel.commit.slice(0, 7);
  const cut = (text: string | undefined): string => (text ?? '').replaceAll(/\s+/g, ' ').slice(0, 76);
  return [
    `${chapter('What the store knows: every turn, commit, call and decision')}\n${picture(timeline, ['dispatcher', 'scheduler'])}`,
    [
      chapter(`The program's variables, from the first question (${short}) to the end`),
      ...variables.flatMap(({ name, before, after }) => [
        ...(before === undefined ? [] : [paint('red', `  - ${name} = ${cut(before)}`)]),
        ...(after === undefined ? [] : [paint('green', `  + ${name} = ${cut(after)}`)]),
      ]),
    ].join('\n'),
    [
      chapter('Time travel: objects of the application, asked in the past and now'),
      `  at ${short}   ${timeTravel.question}   ${paint('yellow', String(timeTravel.value))}`,
      `  now          ${timeTravel.question}   ${paint('yellow', report.meetings.find(({ title }) => title === 'Weekly planning')?.after ?? '')}`,
    ].join('\n'),
    [
      chapter('The account'),
      ...moved.map(
        ({ title, before, after, moves }) => `  ${title.padEnd(16)} ${before} → ${after}   ${counted(moves, 'move')}`,
      ),
      ...mails.map(
        ({ to, text, requests }) =>
          `  mail to ${to.join(', ').padEnd(14)} ${text}  ${paint('dim', requests === 1 ? 'delivered once' : `delivered once, asked for ${requests === 2 ? 'twice' : `${requests} times`}`)}`,
      ),
      `  ${counted(approvals.filter(({ approved }) => approved === true).length, 'approval')} by ${[...new Set(approvals.map(({ by }) => by))].join(', ')}, ${counted(commits.count, 'commit')} of the scheduler's program in ${(commits.bytes / 1024).toFixed(1)} KB`,
      `  ${counted(usage.turns, 'turn')}: ${usage.input} tokens in, ${usage.output} out, $${usage.dollars.toFixed(4)}${report.model === 'scripted' ? paint('dim', ' (as if it were a small model)') : ''}`,
    ].join('\n'),
  ];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
