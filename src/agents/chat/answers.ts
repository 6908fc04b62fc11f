// What of a conversation reached whoever talks with the job: messages that were sent, and, of a job that sends nothing
// itself, the replies that ended its turn. A draft that was held back, replaced or refused was never an answer.
import { messageText } from '../../models/door.ts';
import { dialects } from '../language.ts';
import type { LoopState } from '../loop/state.ts';
import { isDialog } from '../settings/chat-style.ts';
import { actionsOf } from './actions.ts';
import type { ChatItem } from './item.ts';

/** The items that are answers, with their texts. */
export function answersIn(
  items: readonly ChatItem[],
  state: Pick<LoopState, 'style' | 'language' | 'tools'> | undefined | null,
): ReadonlyMap<ChatItem, string> {
  const sends = items.some(({ kind }) => kind === 'sent');
  return new Map(
    items.flatMap((item, index): [ChatItem, string][] => {
      if (item.kind === 'sent') return item.error === undefined ? [[item, item.text]] : [];
      if (sends || item.kind !== 'reply' || item.suppressed !== undefined || state === undefined || state === null)
        return [];
      // What the system had to say about it right away is why it did not count.
      if (items[index + 1]?.kind === 'note' || !isDialog(state.style)) return [];
      const { style, language, tools } = state;
      const text = messageText(item.message);
      const { isFinal } = actionsOf(item.message, item.finish, {
        style,
        dialect: dialects[language],
        tools,
        sends: false,
      });
      return isFinal && text.trim() !== '' ? [[item, text]] : [];
    }),
  );
}
