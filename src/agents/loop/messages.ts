// What comes through the inbox of a job, as items of its conversation.
import type { JobMessage, SubtaskState } from '../../jobs/door.ts';
import type { MediaPart } from '../../models/door.ts';
import { render } from '../../workspace/door.ts';
import type { MessageItem, NoticeItem } from '../chat/item.ts';
import type { SharedFact } from '../memory/shared-names.ts';
import type { Language } from '../prompts/metadata.ts';
import { isRecord } from '../tools/schema.ts';

/** A text, `{ text, media, id }`, or anything else as it is shown. */
export function messageItem({ body }: JobMessage, language: Language): Omit<MessageItem, 'number' | 'time'> {
  if (typeof body === 'string') return { kind: 'message', text: body };
  if (isRecord(body) && typeof body['text'] === 'string') {
    const { text, media, id } = body as { text: string; media?: readonly MediaPart[]; id?: unknown };
    return {
      kind: 'message',
      ...(typeof id === 'string' ? { id } : {}),
      text,
      ...(Array.isArray(media) && media.length > 0 ? { media } : {}),
    };
  }
  return { kind: 'message', text: render(body, { language }) };
}

/** A subtask has ended, or has answered before its end. */
export function noticeItem({ body, from = '' }: JobMessage, language: Language): Omit<NoticeItem, 'number' | 'time'> {
  const { state, outcome, result, error } = (isRecord(body) ? body : {}) as Partial<SubtaskState>;
  const how = outcome === undefined ? 'has answered' : `has ended (${outcome})`;
  const what = error === undefined ? (result === undefined ? '' : `: ${render(result, { language })}`) : `: ${error}`;
  return { kind: 'notice', from, text: `The subtask ${from} ${state === undefined ? 'has news' : how}${what}` };
}

/** What a job tells itself: what it would have sent if it were not muted, and what it has just remembered. */
export function ownNews(
  { kind, from, body }: JobMessage,
  job: string,
): { readonly spoken?: string; readonly shared?: SharedFact } {
  return kind === 'notice' && from === job && isRecord(body) ? body : {};
}

/** Everything a muted job would have sent, and what it ended with if it said nothing. */
export function mutedResult(
  spoken: readonly string[],
  unread: readonly JobMessage[],
  text: string | undefined,
  value: unknown,
  language: Language,
): string {
  const late = unread.flatMap(({ body }) =>
    isRecord(body) && typeof body['spoken'] === 'string' ? [body['spoken']] : [],
  );
  const all = [...spoken, ...late, ...(text === undefined ? [] : [text])];
  return all.length > 0 || value === undefined ? all.join('\n\n') : render(value, { language });
}

/** Code that has to run before the model sees a message: a call of a task brings its input this way. */
export function setupOf({ body }: JobMessage): readonly string[] {
  const setup = isRecord(body) ? body['setup'] : undefined;
  return Array.isArray(setup) ? setup.filter((source) => typeof source === 'string') : [];
}
