// `statek speech`: sessions of speech, and what was said in them.
import type { SpeechEvent } from '../../../state/speech/records.ts';
import { NotFoundError } from '../../../workspace/errors.ts';
import { sessionRows } from '../../../state/speech/rows.ts';
import type { Command, Given } from '../../line/command.ts';
import { oneLine } from '../../output/style.ts';
import { shownId, timeText } from '../../shown/describe.ts';
import type { Session } from '../../session.ts';
import { shown } from './follow.ts';
import { printEvents, watchOptions } from './watching.ts';

export const speech: Command = {
  name: 'speech',
  group: 'Look',
  summary: 'list sessions of speech, or show what was said in one',
  arguments: [{ syntax: '[session]', description: 'its id (default: all sessions, newest first)' }],
  options: watchOptions,
  examples: [
    ['speech', 'the latest sessions'],
    ['speech call-7', 'its state and what was said'],
    ['speech call-7 --watch', 'what is said, until the session ends'],
  ],
  async run(session, given) {
    const kit = await session.kit('look');
    const id = given.optional('session');
    if (id === undefined) return list(session, given);
    if ((await kit.speech.getSession(id)) === undefined)
      throw new NotFoundError(`There is no session '${id}'. List them with: statek speech`, { session: id });
    if (given.flag('watch'))
      return printEvents(session, given, kit.speech.events(id, { signal: session.signal }), eventLine);
    return show(session, id);
  },
};

async function list(session: Session, given: Given): Promise<void> {
  const { out } = session;
  const kit = await session.kit('look');
  const look = () => kit.speech.listSessions({ limit: given.number('limit') ?? 20 });
  await shown(session, kit, given.flag('watch'), [sessionRows], look, (page) => {
    if (out.isJson) {
      out.json(page);
      return;
    }
    if (page.sessions.length === 0) {
      out.note('No sessions found.');
      return;
    }
    out.table(page.sessions, [
      { title: 'SESSION', text: ({ sessionId }) => shownId(sessionId, out), minWidth: 8 },
      { title: 'TYPE', text: ({ sessionType }) => oneLine(sessionType), minWidth: 8 },
      { title: 'STATUS', text: ({ status }) => status },
      { title: 'CREATED', text: ({ createdAt }) => timeText(createdAt) },
      { title: 'END', text: ({ endReason }) => oneLine(endReason ?? '') },
    ]);
    if (page.cursor !== undefined) out.note('There are more: raise --limit.');
  });
}

async function show(session: Session, id: string): Promise<void> {
  const { out } = session;
  const kit = await session.kit('look');
  const [found, state] = await Promise.all([kit.speech.getSession(id), kit.speech.getConversationState(id)]);
  if (found === undefined) return;
  if (out.isJson) {
    out.json({ ...found, ...state });
    return;
  }
  const { sttState, ttsState } = state;
  out.facts([
    ['session', oneLine(id)],
    ['type', oneLine(found.sessionType)],
    ['status', found.status],
    ['end', found.endReason && oneLine(found.endReason)],
    ['created', timeText(found.createdAt)],
    ['turns', String(state.turnCount)],
    [
      'received',
      `${sttState.audioReceivedBytes} bytes${sttState.gaps.length === 0 ? '' : `, ${sttState.gaps.length} gaps`}`,
    ],
    ['speaking', ttsState.isSpeaking ? 'yes' : undefined],
    ['to be said', ttsState.textQueue.length === 0 ? undefined : ttsState.textQueue.map(oneLine).join('\n')],
  ]);
  if (state.transcript.length === 0) return;
  out.heading('Transcript');
  for (const { role, content } of state.transcript) out.line(`${out.style.dim(oneLine(role))}  ${oneLine(content)}`);
}

function eventLine(event: SpeechEvent): string {
  switch (event.kind) {
    case 'interim':
      return `…  ${oneLine(event.speaker)}: ${oneLine(event.text)}`;
    case 'segment':
      return `${event.revision}  ${oneLine(event.segment.speaker)}: ${oneLine(event.segment.text)}${event.segment.isCut ? ' (cut)' : ''}`;
    case 'utterance':
      return `${event.revision}  utterance ${event.utterance.utteranceId} ${event.utterance.status}: ${oneLine(event.utterance.text)}`;
    case 'session':
      return `${event.revision}  session ${event.session.status}${event.session.endReason === undefined ? '' : ` (${oneLine(event.session.endReason)})`}`;
    case 'stt':
      return `${event.revision}  received ${event.state.audioReceivedBytes} bytes`;
    default:
      return `${event.revision}  played ${event.state.audioPlayedBytes} of ${event.state.audioGeneratedBytes} bytes`;
  }
}
