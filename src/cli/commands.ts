// Every command there is, in the order in which help lists them. A new one is a file and a line here.
// All of them are read each time: what only one of them needs, and is much, it imports when it runs.
import type { Command } from './command.ts';
import { answer } from './commands/answer.ts';
import { approve, deny } from './commands/approve.ts';
import { at } from './commands/at.ts';
import { cancel } from './commands/cancel.ts';
import { completion } from './commands/completion.ts';
import { config } from './commands/config.ts';
import { consoleCommand } from './commands/console.ts';
import { deleteCommand } from './commands/delete.ts';
import { diff } from './commands/diff.ts';
import { docs } from './commands/docs.ts';
import { doctor } from './commands/doctor.ts';
import { fork } from './commands/fork.ts';
import { gc } from './commands/gc.ts';
import { init } from './commands/init.ts';
import { jobs } from './commands/jobs.ts';
import { locals } from './commands/locals.ts';
import { log } from './commands/log.ts';
import { mcp } from './commands/mcp.ts';
import { pause } from './commands/pause.ts';
import { repl } from './commands/repl.ts';
import { resume } from './commands/resume.ts';
import { retry } from './commands/retry.ts';
import { rollback } from './commands/rollback.ts';
import { run } from './commands/run.ts';
import { say } from './commands/say.ts';
import { show } from './commands/show.ts';
import { signal } from './commands/signal.ts';
import { types } from './commands/types.ts';
import { waiting } from './commands/waiting.ts';
import { watch } from './commands/watch.ts';
import { worker } from './commands/worker.ts';
import { workspaces } from './commands/workspaces.ts';

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
