// The whole page: `useChat`, and its messages on the screen. The conversation itself is a job on the server; its id is in the
// address, so a reload, another tab or another device continues it, and so does this page after the server was away.
import { useChat, type UseChatHelpers } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { useEffect, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

const api = './statek/v1/chat/clerk';
location.hash ||= crypto.randomUUID();
const id = location.hash.slice(1);
const before = await conversation();

/** The conversation as the server has it. */
async function conversation(): Promise<UIMessage[]> {
  const { messages } = (await (await fetch(`${api}/${id}`)).json()) as { messages: UIMessage[] };
  return messages;
}

function Chat(): ReactElement {
  const chat = useChat({
    id,
    messages: before,
    resume: true,
    transport: new DefaultChatTransport({ api }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const { messages, sendMessage, addToolApprovalResponse, status, error } = chat;
  useHealing(chat);
  const decide = (approval: string, approved: boolean): void =>
    void addToolApprovalResponse({ id: approval, approved });
  const send = (form: FormData): void => void sendMessage({ text: form.get('text') as string });
  const stop = (): void =>
    void fetch(`${api}/${id}/stop`, { method: 'POST', headers: { 'content-type': 'application/json' } });
  return (
    <>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {message.parts.map((part, index) => (
            <Part key={index} part={part} decide={decide} />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form data-status={status} action={send}>
        <input name="text" aria-label="Message" autoComplete="off" required />
        <button>Send</button>
        {status === 'streaming' && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </form>
    </>
  );
}

/**
 * The connection broke off: as soon as the server is there again, the page gets what it has missed, sends what it could not, and
 * follows the answer. The server knows a message by its id, so none is said twice.
 */
function useHealing({
  error,
  messages,
  setMessages,
  clearError,
  sendMessage,
  resumeStream,
}: UseChatHelpers<UIMessage>): void {
  useEffect(() => {
    // What the server refused stays on the screen.
    if (!(error instanceof TypeError)) return undefined;
    const heal = async (): Promise<void> => {
      const known = await conversation();
      clearInterval(timer);
      const unsent = messages.filter(({ id: own, role }) => role === 'user' && !known.some((one) => one.id === own));
      setMessages(known);
      clearError();
      for (const message of unsent) await sendMessage(message);
      if (unsent.length === 0) await resumeStream();
    };
    const timer = setInterval(() => void heal().catch(() => undefined), 500);
    return () => clearInterval(timer);
  }, [error]);
}

interface PartProperties {
  readonly part: UIMessage['parts'][number];
  readonly decide: (approval: string, approved: boolean) => void;
}

function Part({ part, decide }: PartProperties): ReactElement | null {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'data-step') return <pre>{(part.data as { console: string[] }).console.join('\n')}</pre>;
  if (part.type !== 'dynamic-tool' || part.toolName === 'ask') return null;
  const { toolName, input, state } = part;
  return (
    <div data-call={toolName} data-state={state}>
      <code>{`${toolName} ${JSON.stringify(input)}: ${state}`}</code>
      {state === 'approval-requested' && (
        <>
          <button onClick={() => decide(part.approval.id, true)}>Approve</button>
          <button onClick={() => decide(part.approval.id, false)}>Deny</button>
        </>
      )}
    </div>
  );
}

createRoot(document.querySelector('#chat') as HTMLElement).render(<Chat />);
