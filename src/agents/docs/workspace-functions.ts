// What every workspace of a job offers besides the tools and variables of its agent, as a model is told it.
import { isSameName } from '../../workspace/door.ts';
import type { Language } from '../prompts/metadata.ts';

interface WorkspaceFunction {
  readonly name: string;
  /** How it is called; none if the language does not have it. */
  readonly typescript?: string;
  readonly python?: string;
  readonly brief: string | Readonly<Record<Language, string>>;
  readonly details?: string;
  /** Left out of prompts, and known to `brief` and `docstr`. */
  readonly rare?: true;
}

const timeout = {
  typescript: 'With { timeout: milliseconds } it throws a TimeoutError when the time is over.',
  python: 'With timeout (seconds or a timedelta) it raises a TimeoutError when the time is over.',
};

const functions: readonly WorkspaceFunction[] = [
  {
    name: 'print',
    typescript: 'print(...values)',
    python: 'print(*values)',
    brief: 'shows values to you',
  },
  {
    name: 'ask',
    typescript: 'await ask(question, details?, { timeout? })',
    python: 'ask(question, details=None, *, timeout=None)',
    brief: 'asks a person, and waits for the answer',
    details: 'The details are data that is shown with the question.',
  },
  {
    name: 'approve',
    typescript: 'await approve(what, details?, { timeout? })',
    python: 'approve(what, details=None, *, timeout=None)',
    brief: {
      typescript: "asks a person to agree; throws an error with the name 'DeniedError' if they do not",
      python: "asks a person to agree; raises a HostError with the name 'DeniedError' if they do not",
    },
    details: 'The details are data that is shown with it.',
  },
  {
    name: 'signal',
    typescript: 'await signal(name, { timeout? })',
    python: 'signal(name, *, timeout=None)',
    brief: 'waits for something to happen outside, and gives what came with it',
  },
  {
    name: 'sleep',
    typescript: 'await sleep(milliseconds)',
    python: 'sleep(seconds)',
    brief: 'waits, for days if need be',
  },
  {
    name: 'until',
    typescript: 'await until(date)',
    python: 'until(moment)',
    brief: 'waits for a point in time',
  },
  {
    name: 'delegate',
    typescript: 'await delegate(role, { message?, vars? })',
    python: 'delegate(role, message=None, *, vars=None)',
    brief: 'gives work to another agent, and waits for its result',
    details: 'The other agent has only the variables it is given. What it fails with is thrown here.',
  },
  {
    name: 'delegateAll',
    typescript: 'await delegateAll(role, [{ message?, vars? }])',
    python: 'delegate_all(role, [{…}])',
    brief: 'gives work to many at once, and waits for all results',
    rare: true,
  },
  {
    name: 'delegateMute',
    typescript: 'await delegateMute(role, { message?, vars? })',
    python: 'delegate_mute(role, message=None, *, vars=None)',
    brief: 'the same, and what the other agent would have said is the result',
    rare: true,
  },
  {
    name: 'delegateDialog',
    typescript: 'await delegateDialog(role, { message?, vars? })',
    python: 'delegate_dialog(role, message=None, *, vars=None)',
    brief: 'begins a conversation with another agent: it has answer, and say(message) to go on',
    rare: true,
  },
  {
    name: 'startSubtask',
    typescript: 'await startSubtask(role, { message?, vars? })',
    python: 'start_subtask(role, message=None, *, vars=None)',
    brief: 'gives work to another agent without waiting; you receive a notice when it ends',
    details: 'It returns a subtask with id, state, outcome, result and error, as they are at that moment.',
  },
  {
    name: 'findSubtask',
    typescript: 'await findSubtask(task)',
    python: 'find_subtask(task)',
    brief: 'how a subtask is doing, by its id',
    rare: true,
  },
  {
    name: 'completeSubtask',
    typescript: 'await completeSubtask(value)',
    python: 'complete_subtask(value)',
    brief: 'answers whoever started this job as a subtask, and goes on',
    rare: true,
  },
  {
    name: 'start',
    python: 'start(function, …)',
    brief: 'begins a call without waiting, and gives its future',
  },
  { name: 'getAll', python: 'get_all([…])', brief: 'the results of several futures, in order' },
  { name: 'getAny', python: 'get_any([…])', brief: 'the result of the first future that has one' },
  {
    name: 'printLocals',
    typescript: 'printLocals()',
    python: 'print_locals()',
    brief: 'shows your variables',
  },
  { name: 'exit', typescript: 'exit(value?)', python: 'exit(value=None)', brief: 'ends the job with its result' },
  { name: 'fail', typescript: 'fail(reason)', python: 'fail(reason)', brief: 'ends the job without one' },
];

const timed = new Set(['ask', 'approve', 'signal']);

/** A line for each of those that a prompt names. */
export function briefWorkspace(language: Language): string {
  return functions
    .filter((one) => one.rare !== true && one[language] !== undefined)
    .map((one) => line(one, language))
    .join('\n');
}

/** What is known of one of them, or of all without a name; undefined if there is none of that name. */
export function workspaceText(
  name: string | undefined,
  language: Language,
  detail: 'brief' | 'full',
): string | undefined {
  const found = functions.filter(
    (one) => one[language] !== undefined && (name === undefined || isSameName(one.name, name)),
  );
  if (found.length === 0) return undefined;
  return found
    .map((one) => {
      const more = [one.details, timed.has(one.name) ? timeout[language] : undefined].filter(Boolean).join(' ');
      return detail === 'brief' || more === ''
        ? line(one, language)
        : `${line(one, language)}\n${remark(more, language)}`;
    })
    .join('\n');
}

function line(one: WorkspaceFunction, language: Language): string {
  const brief = typeof one.brief === 'string' ? one.brief : one.brief[language];
  return `${one[language] ?? ''} ${remark(brief, language)}`;
}

function remark(text: string, language: Language): string {
  return `${language === 'python' ? '#' : '//'} ${text}`;
}
