// A conversation that was written down as an example, gone through again: what was said is said, and code runs for real.
import type { ChatItem as ExampleItem } from '../examples/example.ts';
import { fenced } from '../examples/example-text.ts';
import { dialects } from '../language.ts';
import { isDialog } from '../settings/chat-style.ts';
import type { LoopAction, LoopTurn } from './state.ts';

/** The action that an item of the example asks for; undefined if it was only said. */
export function playedItem(loop: LoopTurn, { role, text = '', code }: ExampleItem): LoopAction | undefined {
  if (role !== 'assistant') {
    loop.add({ kind: role === 'user' ? 'message' : 'note', text });
    if (role === 'user') loop.set({ messages: loop.state.messages + 1 });
    return undefined;
  }
  const { style, language, turn, todo, difficulty } = loop.state;
  const [label = ''] = dialects[language].fences;
  const said =
    style === 'CONSOLE'
      ? (code ?? text)
      : [text, code === undefined ? '' : fenced(label, code)].filter(Boolean).join('\n\n');
  const item = loop.add({
    kind: 'reply',
    turn: turn + 1,
    message: { role: 'assistant', content: said },
    finish: 'stop',
    difficulty,
    example: true,
  });
  loop.set({ turn: turn + 1, starts: [...loop.state.starts, item] });
  if (code !== undefined) return loop.act({ run: code });
  // The last word of a dialog ends it, as it did then.
  if (todo.length === 0 && isDialog(style)) loop.set({ reply: { item, isFinal: true, text, errors: 0 } });
  return undefined;
}
