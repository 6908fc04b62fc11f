// `statek teams`: teams, their members and their tasks.
import { NotFoundError } from '../../../workspace/errors.ts';
import type { TeamEvent, TeamTask } from '../../../state/teams/records.ts';
import { teamRows } from '../../../state/teams/rows.ts';
import type { Command, Given } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { oneLine } from '../../output/style.ts';
import { timeText } from '../../shown/describe.ts';
import type { Session } from '../../session.ts';
import { shown } from './follow.ts';
import { printEvents, watchOptions } from './watching.ts';

export const teams: Command = {
  name: 'teams',
  group: 'Look',
  summary: 'list teams, or show the members and tasks of one',
  arguments: [{ syntax: '[team]', description: 'its id (default: all teams)' }],
  options: [{ flags: '-t, --task <id>', description: 'show one task of the team' }, ...watchOptions],
  examples: [
    ['teams', 'all teams'],
    ['teams research', 'who is there, and what is in the queue'],
    ['teams research --watch --json', 'what happens to a team, one JSON document per line'],
  ],
  async run(session, given) {
    const kit = await session.kit('look');
    const team = given.optional('team');
    if (team === undefined) {
      if (given.has('task')) throw new UsageError('--task needs a team: statek teams TEAM --task ID.');
      return list(session, given);
    }
    if (given.has('task') && given.flag('watch')) throw new UsageError('--watch shows a whole team. Leave --task out.');
    if (given.flag('watch')) {
      if ((await kit.teams.getTeam(team)) === undefined) throw missing(team);
      return printEvents(session, given, kit.teams.watch(team, { signal: session.signal }), eventLine);
    }
    return given.has('task') ? showTask(session, team, given.text('task')) : show(session, team, given);
  },
};

async function list(session: Session, given: Given): Promise<void> {
  const { out } = session;
  const kit = await session.kit('look');
  const look = () => kit.teams.listTeams({ limit: given.number('limit') ?? 20 });
  await shown(session, kit, given.flag('watch'), [teamRows], look, (page) => {
    if (out.isJson) {
      out.json(page);
      return;
    }
    if (page.teams.length === 0) {
      out.note('No teams found.');
      return;
    }
    out.table(page.teams, [
      { title: 'TEAM', text: ({ teamId }) => oneLine(teamId), minWidth: 8 },
      { title: 'NAME', text: ({ name }) => oneLine(name ?? ''), minWidth: 8 },
      { title: 'CREATED', text: ({ createdAt }) => timeText(createdAt) },
    ]);
    if (page.cursor !== undefined) out.note('There are more: raise --limit.');
  });
}

async function show(session: Session, team: string, given: Given): Promise<void> {
  const { out } = session;
  const kit = await session.kit('look');
  const found = await kit.teams.getTeam(team);
  if (found === undefined) throw missing(team);
  const taskQueue = await kit.teams.getQueueStatus(team, { limit: given.number('limit') ?? 20 });
  if (out.isJson) {
    out.json({ ...found, taskQueue });
    return;
  }
  const { pending, inProgress, completed, failed } = taskQueue.totals;
  out.facts([
    ['team', oneLine(found.teamId)],
    ['name', found.name && oneLine(found.name)],
    ['created', timeText(found.createdAt)],
    ['tasks', `${pending} pending, ${inProgress} in progress, ${completed} completed, ${failed} failed`],
  ]);
  const agents = Object.values(found.agents);
  if (agents.length > 0) {
    out.heading('Members');
    out.table(agents, [
      { title: 'AGENT', text: ({ agentId }) => oneLine(agentId), minWidth: 8 },
      { title: 'ROLE', text: ({ role }) => oneLine(role ?? ''), minWidth: 5 },
      { title: 'STATUS', text: ({ status }) => oneLine(status) },
      { title: 'TASK', text: ({ currentTask }) => oneLine(currentTask ?? ''), minWidth: 8 },
      { title: 'JOBS', text: ({ jobs }) => (jobs.length === 0 ? '' : String(jobs.length)) },
      { title: 'CAPABILITIES', text: ({ capabilities }) => oneLine(capabilities.join(', ')), minWidth: 8 },
    ]);
  }
  const tasks = [...taskQueue.inProgress, ...taskQueue.pending, ...taskQueue.failed];
  if (tasks.length > 0) {
    out.heading('Tasks');
    out.table(tasks, [
      { title: 'TASK', text: ({ taskId }) => oneLine(taskId), minWidth: 8 },
      { title: 'STATUS', text: ({ status }) => status },
      { title: 'PRIORITY', text: ({ priority }) => String(priority) },
      { title: 'AGENT', text: ({ agentId, assignedTo }) => oneLine(agentId ?? assignedTo ?? ''), minWidth: 5 },
      { title: 'CREATED', text: ({ createdAt }) => timeText(createdAt) },
      { title: 'ERROR', text: ({ error }) => oneLine(error ?? ''), minWidth: 8 },
    ]);
  }
}

async function showTask(session: Session, team: string, id: string): Promise<void> {
  const { out } = session;
  const task = await (await session.kit('look')).teams.getTask(team, id);
  if (task === undefined) throw new NotFoundError(`The team '${team}' has no task '${id}'.`, { team, task: id });
  if (out.isJson) {
    out.json(task);
    return;
  }
  out.facts(factsOf(task));
}

function factsOf(task: TeamTask): [string, string | undefined][] {
  const { status, agentId, assignedTo, priority, capability, attempts, ownersLost, data, result, error } = task;
  return [
    ['task', oneLine(task.taskId)],
    ['status', status],
    ['agent', agentId && oneLine(agentId)],
    ['assigned to', assignedTo && oneLine(assignedTo)],
    ['priority', String(priority)],
    ['capability', capability && oneLine(capability)],
    ['created', timeText(task.createdAt)],
    ['attempts', ownersLost === 0 ? String(attempts) : `${attempts} (${ownersLost} owners lost)`],
    ['data', data === undefined ? undefined : JSON.stringify(data)],
    ['result', result === undefined ? undefined : JSON.stringify(result)],
    ['error', error && oneLine(error)],
  ];
}

function eventLine(event: TeamEvent): string {
  switch (event.kind) {
    case 'task':
      return `${event.revision}  task ${oneLine(event.taskId)}  ${event.task?.status ?? 'removed'}${event.task?.agentId === undefined ? '' : `  ${oneLine(event.task.agentId)}`}`;
    case 'agent':
      return `${event.revision}  agent ${oneLine(event.agentId)}  ${oneLine(event.agent?.status ?? 'removed')}`;
    default:
      return `${event.revision}  deleted`;
  }
}

function missing(team: string): NotFoundError {
  return new NotFoundError(`There is no team '${team}'. List them with: statek teams`, { team });
}
