// `statek chat`: a conversation with a job at a terminal, begun here or anywhere else.
import { randomUUID } from 'node:crypto';
import { NotFoundError } from '../../../workspace/errors.ts';
import type { Command, Given } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { findJob } from '../../shown/identify.ts';
import type { Session } from '../../session.ts';
import type { ChatWith } from '../../chat/chat.ts';

export const chat: Command = {
  name: 'chat',
  group: 'Run',
  summary: 'talk with an agent, or continue the conversation of a job',
  details: `Prints replies as they are said, calls, and what code prints, and asks for approvals in place. The conversation is the job:
a page, MCP clients and other terminals can continue it, also at the same time. ^C stops an answer, and leaves if there is
none; ^D leaves, and the job stays. Standard input may be a pipe, one message per line; a line answers a question of the
program, and decides with yes or no what needs approval. With --json, each event is printed as one line of JSON.
It works on jobs while it is open; --no-worker leaves that to other processes.`,
  arguments: [{ syntax: '<job>', description: 'the id of a job, or the role of an agent to begin with' }],
  options: [
    {
      flags: '--id <id>',
      description: 'the id of a new conversation, which is continued if there is one (default: a random one)',
    },
    { flags: '--no-worker', description: 'do not work on jobs in this process' },
  ],
  examples: [
    ['chat clerk', 'begin a conversation with the agent clerk'],
    ['chat 3f2a', 'continue one'],
    ['chat clerk --id rooms < questions.txt', 'say each line of a file'],
  ],
  async run(session, given) {
    const kit = await session.kit('work');
    const found = await conversationOf(session, given);
    const { roles } = await session.application();
    const worker = given.flag('worker') && roles.includes(found.role) ? kit.start() : undefined;
    const { runChat } = await import('../../chat/chat.ts');
    try {
      return await runChat(session, kit, found);
    } finally {
      await worker?.stop({ graceMilliseconds: session.graceMilliseconds });
    }
  },
};

async function conversationOf(session: Session, given: Given): Promise<ChatWith> {
  const kit = await session.kit('work');
  const { roles } = await session.application();
  const name = given.text('job');
  const id = given.optional('id');
  if (roles.includes(name)) {
    const job = id === undefined ? undefined : await kit.job(id).catch(unlessMissing);
    if (job !== undefined && job.role !== name)
      throw new UsageError(`The job '${job.id}' belongs to the role '${job.role}', not to '${name}'.`);
    return { role: name, id: id ?? randomUUID(), job };
  }
  if (id !== undefined) throw new UsageError(`--id is for new conversations, and there is no role '${name}'.`);
  const job = await findJob(kit, name).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
    const known = roles.length === 0 ? 'This application has no roles' : `The roles are ${roles.join(', ')}`;
    throw new NotFoundError(
      `There is no role '${name}', and no job whose id starts with it. ${known}; statek jobs lists the jobs.`,
      { id: name },
    );
  });
  return { role: job.role, id: job.id, job };
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}
