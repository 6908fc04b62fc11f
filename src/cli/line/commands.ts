// All commands, in the order of the help. To add one, write its file and add it here.
// Every run loads all of them, so a command imports large modules of its own only when it runs.
import type { Command } from './command.ts';
import { answer } from '../commands/people/answer.ts';
import { approve, deny } from '../commands/people/approve.ts';
import { at } from '../commands/time/at.ts';
import { cancel } from '../commands/jobs/cancel.ts';
import { completion } from '../commands/project/completion.ts';
import { config } from '../commands/project/config.ts';
import { consoleCommand } from '../commands/programs/console.ts';
import { deleteCommand } from '../commands/jobs/delete.ts';
import { diff } from '../commands/time/diff.ts';
import { docs } from '../commands/project/docs.ts';
import { doctor } from '../commands/project/doctor.ts';
import { fork } from '../commands/time/fork.ts';
import { gc } from '../commands/time/gc.ts';
import { init } from '../commands/project/init.ts';
import { jobs } from '../commands/jobs/jobs.ts';
import { locals } from '../commands/programs/locals.ts';
import { log } from '../commands/time/log.ts';
import { mcp } from '../commands/project/mcp.ts';
import { pause } from '../commands/jobs/pause.ts';
import { repl } from '../commands/programs/repl.ts';
import { resume } from '../commands/jobs/resume.ts';
import { retry } from '../commands/jobs/retry.ts';
import { rollback } from '../commands/time/rollback.ts';
import { run } from '../commands/jobs/run.ts';
import { say } from '../commands/people/say.ts';
import { show } from '../commands/jobs/show.ts';
import { signal } from '../commands/people/signal.ts';
import { types } from '../commands/project/types.ts';
import { waiting } from '../commands/people/waiting.ts';
import { watch } from '../commands/jobs/watch.ts';
import { worker } from '../commands/jobs/worker.ts';
import { workspaces } from '../commands/programs/workspaces.ts';

export const commands: readonly Command[] = [
  init,
  run,
  repl,
  worker,
  mcp,
  jobs,
  workspaces,
  show,
  watch,
  waiting,
  locals,
  consoleCommand,
  log,
  at,
  diff,
  fork,
  rollback,
  say,
  answer,
  approve,
  deny,
  signal,
  cancel,
  pause,
  resume,
  retry,
  deleteCommand,
  gc,
  docs,
  types,
  config,
  doctor,
  completion(() => commands),
];
