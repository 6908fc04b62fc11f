// All commands, in the order of the help. To add one, write its file and add it here.
// Every run loads all of them, so a command imports large modules of its own only when it runs.
import type { Command } from './command.ts';
import { answer } from '../commands/people/answer.ts';
import { approve, deny } from '../commands/people/approve.ts';
import { at } from '../commands/time/at.ts';
import { backup } from '../commands/store/backup.ts';
import { compare } from '../commands/time/compare.ts';
import { cancel } from '../commands/jobs/cancel.ts';
import { chat } from '../commands/people/chat.ts';
import { completion } from '../commands/project/completion.ts';
import { config } from '../commands/project/config.ts';
import { consoleCommand } from '../commands/programs/console.ts';
import { copy } from '../commands/store/copy.ts';
import { deleteCommand } from '../commands/jobs/delete.ts';
import { diff } from '../commands/time/diff.ts';
import { docs } from '../commands/project/docs.ts';
import { doctor } from '../commands/project/doctor.ts';
import { encrypt } from '../commands/store/encrypt.ts';
import { exportCommand } from '../commands/project/export.ts';
import { find } from '../commands/time/find.ts';
import { forget } from '../commands/project/forget.ts';
import { fork } from '../commands/time/fork.ts';
import { gc } from '../commands/time/gc.ts';
import { importCommand } from '../commands/project/import.ts';
import { init } from '../commands/project/init.ts';
import { inspect } from '../commands/project/inspect.ts';
import { jobs } from '../commands/jobs/jobs.ts';
import { knowledge } from '../commands/state/knowledge.ts';
import { state } from '../commands/state/values.ts';
import { locals } from '../commands/programs/locals.ts';
import { log } from '../commands/time/log.ts';
import { mcp } from '../commands/project/mcp.ts';
import { pause } from '../commands/jobs/pause.ts';
import { quarantine } from '../commands/jobs/quarantine.ts';
import { repl } from '../commands/programs/repl.ts';
import { restore } from '../commands/store/restore.ts';
import { resume } from '../commands/jobs/resume.ts';
import { retry } from '../commands/jobs/retry.ts';
import { rollback } from '../commands/time/rollback.ts';
import { run } from '../commands/jobs/run.ts';
import { serve } from '../commands/project/serve.ts';
import { schedules } from '../commands/jobs/schedules.ts';
import { say } from '../commands/people/say.ts';
import { show } from '../commands/jobs/show.ts';
import { signal } from '../commands/people/signal.ts';
import { tools } from '../commands/state/tools.ts';
import { speech } from '../commands/state/speech.ts';
import { teams } from '../commands/state/teams.ts';
import { tenants } from '../commands/jobs/tenants.ts';
import { types } from '../commands/project/types.ts';
import { unpin } from '../commands/jobs/unpin.ts';
import { verify } from '../commands/store/verify.ts';
import { waiting } from '../commands/people/waiting.ts';
import { watch } from '../commands/jobs/watch.ts';
import { worker } from '../commands/jobs/worker.ts';
import { workflows } from '../commands/state/workflows.ts';
import { workspaces } from '../commands/programs/workspaces.ts';

export const commands: readonly Command[] = [
  init,
  run,
  chat,
  repl,
  worker,
  mcp,
  serve,
  inspect,
  schedules,
  jobs,
  workflows,
  tools,
  workspaces,
  show,
  watch,
  waiting,
  locals,
  consoleCommand,
  teams,
  knowledge,
  state,
  speech,
  log,
  at,
  diff,
  find,
  fork,
  compare,
  rollback,
  say,
  answer,
  approve,
  deny,
  signal,
  cancel,
  pause,
  resume,
  unpin,
  retry,
  quarantine,
  tenants,
  deleteCommand,
  gc,
  backup,
  restore,
  copy,
  encrypt,
  verify,
  exportCommand,
  importCommand,
  forget,
  docs,
  types,
  config,
  doctor,
  completion(() => commands),
];
