// A job's conversation as text: what it was told (←), what its model wrote (│), what that printed (>), and what it said (→).
import { messageText, type ChatItem, type Job } from 'statek';
import { messageToolCalls } from 'statek/models';

/** Everything of one job, line by line, under the name of its role. */
export async function transcript(job: Job): Promise<string> {
  const { style } = await job.definition();
  // Where fences are how code is marked, its own mark is enough; elsewhere they are part of the text.
  const textOf = (text: string): string => (style === 'DIRECT' ? text : text.replaceAll(/^```.*\n?/gm, ''));
  return [job.role, ...(await job.chat()).flatMap((item) => linesOf(item, textOf))].join('\n');
}

function linesOf(item: ChatItem, textOf: (text: string) => string): string[] {
  switch (item.kind) {
    case 'message':
      return marked('←', item.text);
    case 'notice':
    case 'note':
      return marked('*', item.text);
    case 'reply':
      return [
        ...marked('│', textOf(messageText(item.message))),
        ...messageToolCalls(item.message).flatMap(({ name, input }) => marked('│', callOf(name, input))),
      ];
    case 'step':
      if (item.warmup?.hidden === true) return [];
      return [...marked('│', item.warmup?.source ?? ''), ...marked('>', shownOf(item))];
    case 'result':
      return marked('>', item.output);
    case 'sent':
      return marked('→', item.text);
    default:
      return [];
  }
}

const marked = (mark: string, text: string): string[] =>
  text.trimEnd() === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => `  ${mark} ${line}`.trimEnd());

/** What the model is shown of a step: what it printed, or else its value; and its error. */
function shownOf({ console: printed, value = '', error }: Extract<ChatItem, { readonly kind: 'step' }>): string {
  const shown = printed.length > 0 ? printed : [value];
  if (error === undefined) return shown.join('\n');
  return [
    ...shown.filter(Boolean),
    `${error.name}: ${error.message}${error.line === undefined ? '' : ` (line ${error.line})`}`,
  ].join('\n');
}

/** Code that is passed to a tool is easier to read as it is. */
function callOf(name: string, input: unknown): string {
  if (typeof input === 'object' && input !== null && 'code' in input) return `${name}:\n${String(input.code)}`;
  return `${name}(${JSON.stringify(input)})`;
}
