// A job's conversation as text: what it was told (←), what its model wrote (│), what that printed (>), and what it said (→).
import { messageText, type ChatItem, type Job } from 'statek';
import { messageToolCalls } from 'statek/models';

/** Everything of one job, line by line, under the name of its role. */
export async function transcript(job: Job): Promise<string> {
  return [job.role, ...(await job.chat()).flatMap(linesOf)].join('\n');
}

function linesOf(item: ChatItem): string[] {
  switch (item.kind) {
    case 'message':
      return marked('←', item.text);
    case 'notice':
    case 'note':
      return marked('*', item.text);
    case 'reply':
      return [
        ...messageToolCalls(item.message).flatMap(({ name, input }) => marked('│', `${name}(${argumentsOf(input)})`)),
        ...marked('│', messageText(item.message).replaceAll(/^```.*\n?/gm, '')),
      ];
    case 'step':
      if (item.warmup?.hidden === true) return [];
      return [
        ...marked('│', item.warmup?.source ?? ''),
        ...marked('>', [...item.console, ...(item.error === undefined ? [] : [messageOf(item.error)])].join('\n')),
      ];
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

const messageOf = ({ name, message, line }: { name: string; message: string; line?: number }): string =>
  `${name}: ${message}${line === undefined ? '' : ` (line ${line})`}`;

/** Code that is passed to a tool is easier to read as it is. */
function argumentsOf(input: unknown): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : JSON.stringify(input);
}
