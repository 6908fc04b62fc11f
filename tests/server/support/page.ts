// A page as people have it: the chat of the AI SDK that `useChat` is made of, with its own HTTP transport.
import { AbstractChat, DefaultChatTransport, type ChatInit, type ChatState, type ChatStatus, type UIMessage } from 'ai';

class State implements ChatState<UIMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined;
  messages: UIMessage[];
  readonly #seen: (message: UIMessage) => void;

  constructor(messages: UIMessage[], seen: (message: UIMessage) => void) {
    this.messages = messages;
    this.#seen = seen;
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
    this.#seen(message);
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
    this.#seen(message);
  };

  snapshot = <Thing>(thing: Thing): Thing => structuredClone(thing);
}

export interface PageOptions extends Pick<
  ChatInit<UIMessage>,
  'id' | 'messages' | 'sendAutomaticallyWhen' | 'onFinish' | 'onData'
> {
  readonly url: string;
  readonly token: string;
  /** Called whenever the page shows something else. */
  readonly seen?: (message: UIMessage) => void;
}

export class Page extends AbstractChat<UIMessage> {
  constructor({ url, token, seen = () => undefined, messages = [], ...init }: PageOptions) {
    super({
      ...init,
      transport: new DefaultChatTransport({ api: url, headers: { authorization: `Bearer ${token}` } }),
      state: new State(messages, seen),
    });
  }

  get last(): UIMessage {
    const last = this.messages.at(-1);
    if (last === undefined) throw new Error('The page shows nothing.');
    return last;
  }
}

/** Everything a message says in words. */
export function textOf({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|');
}
