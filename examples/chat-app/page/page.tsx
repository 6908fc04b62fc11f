// The whole page: `useChat`, and its messages on the screen. The conversation itself is a job on the server; its id is in the
// address, so a reload, another tab or another device continues it.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import type { ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

const api = './statek/v1/chat/clerk';
location.hash ||= crypto.randomUUID();
const id = location.hash.slice(1);
const { messages: before } = (await (await fetch(`${api}/${id}`)).json()) as { messages: UIMessage[] };

function Chat(): ReactElement {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id,
    messages: before,
    resume: true,
    transport: new DefaultChatTransport({ api }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
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
