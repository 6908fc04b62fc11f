// What stands behind lines of docs/features.md, and how to break it: a piece of source that occurs once, and what it
// becomes. The test that the line names must then fail.

export interface Mutant {
  /** `file › title`, as a line of docs/features.md has it. */
  readonly proof: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const test = (file: string, title: string): string => `${file} › ${title}`;
const agents = (name: string, title: string): string => test(`tests/agents/${name}.test.ts`, title);
const from =
  (folder: string) =>
  (file: string, find: string, replace: string): Omit<Mutant, 'proof'> => ({
    file: `${folder}/${file}`,
    find,
    replace,
  });
const own = from('src/agents');
const jobs = from('src/jobs');
const workspace = from('src/workspace');

const limits50 = agents('limits', 'stops after 50 turns, and goes on for as many when it is resumed');
const counted = agents('limits', 'counts tokens, money and time');
const waitsTooLong = agents(
  'time-and-space',
  'ends a job whose time is over while it waits, and goes on with the same step when it is resumed',
);
const spaceLimits = agents(
  'time-and-space',
  'sets slice, heap and console limits for an agent, a single job and the environment',
);
const cleaned = agents('failures', 'tells of a limit, a failed warmup, fail() and a model that cannot be asked');
const markdownProse = agents('prose', 'keeps the prose of MARKDOWN as comments of the code it stands around');
const consoleProse = agents('prose', 'makes comments of what is said around fences in a console, line by line');
const ownLines = agents('prose', 'tells lines of the model’s own code, whatever prose stands before it');
const muted = agents('delegation-variants', 'delegateMute returns what the child would have said, and nothing is sent');
const mutedValue = agents('delegation-variants', 'delegateMute returns the result as text if the child said nothing');
const talked = agents('delegation-variants', 'delegateDialog goes on with the same child, which speaks for itself');
const refusedTalk = agents('delegation-variants', 'a conversation refuses what comes too early, or too late');
const remindedOnce = agents('dialog', 'reminds once per message before an answer is given');
const remindedAgain = agents('dialog', 'reminds only in dialogs that are long enough, and again after work if told');
const keptReminder = agents('dialog', 'keeps the reminder by role in the store, for every process');
const scopes = agents('tools-shared', 'shares cached outcomes within the scope %s');
const listed = agents(
  'tools-shared',
  'lists what code gives a tool by its class, and what a provider gives it as a name',
);
const sharedNames = agents('memory', 'has facts as variables, which cannot be assigned over');
const told = agents('memory', 'remembers for jobs bound to the same specifiers, and tells them at their beginning');
const written = agents('played-examples', 'writes a finished job as an example, in the format of the files');
const played = agents('played-examples', 'plays an example again as a job in %s');
const compared = agents('states', 'looks at a commit, compares two, and goes back to one');
const forked = agents('states', 'forks a state: both go on by themselves');
const viewed = agents('states', 'shows all variables, or those of the last change');
const happened = agents('states', 'tells what happened as events that can be told apart, each with its commit');
const levels = agents('log', 'says as much as the log level %s wants');
const traced = agents('log', 'writes each turn with its request and reply into the trace file');
const withheld = agents(
  'access',
  'withholds what the rules of a description say: the last that matches decides, the rest is withheld',
);
const ofModels = agents(
  'settings',
  'provider, prices, attempts, concurrency and silence of the settings are those of the models',
);

export const mutants: readonly Mutant[] = [
  { proof: limits50, ...own('settings/limits.ts', '  turns: 50,', '  turns: 60,') },
  { proof: limits50, ...own('limits.ts', "isReached('turns', counts.turns)", "isReached('turns', 0)") },
  { proof: limits50, ...own('loop/driver.ts', 'if (turn.turn === 1) loop.set({ counts: noCounts(loop.now) });', '') },
  {
    proof: agents('limits', 'stops after 5 errors in a row, whatever kind they are; a good turn counts them anew'),
    ...own('loop/driver.ts', 'errorsInARow: reply.errors > 0 ? counts.errorsInARow + 1 : 0', 'errorsInARow: 0'),
  },
  { proof: counted, ...own('limits.ts', "isReached('tokens', counts.tokens)", 'counts.tokens < 0') },
  { proof: counted, ...own('limits.ts', "isReached('cost', counts.cost)", 'counts.cost < 0') },
  { proof: counted, ...own('loop/reply.ts', 'cost: counts.cost + (usage.cost?.amount ?? 0)', 'cost: counts.cost') },
  { proof: waitsTooLong, ...jobs('work/timers.ts', "...(what === 'limit' ? { overdue: true } : {}),", '') },
  { proof: waitsTooLong, ...jobs('work/advance.ts', 'next.limit === undefined', 'next !== undefined') },
  {
    proof: waitsTooLong,
    ...jobs('changes/control.ts', "row.interrupted === undefined ? { kind: 'wait'", "row.id !== '' ? { kind: 'wait'"),
  },
  {
    proof: agents('time-and-space', 'ends a job that was resumed and waits too long again'),
    ...jobs('changes/control.ts', '          ...timed(system, row, now),\n', ''),
  },
  {
    proof: agents('time-and-space', 'does not wait for a model when the time of the job is over'),
    ...jobs('work/runner.ts', 'if (now !== undefined && isStopped(now.row)) this.#call?.abort(reasonOf(now.row));', ''),
  },
  {
    proof: agents('time-and-space', 'gives no slice more time than its whole job has'),
    ...own('limits.ts', 'const slice = most === undefined ? said :', 'const slice = most !== 0 ? said :'),
  },
  { proof: spaceLimits, ...own('limits.ts', '...(heapBytes === undefined ? {} : { heapBytes }),', '') },
  { proof: spaceLimits, ...own('limits.ts', '...(consoleBytes === undefined ? {} : { consoleBytes }),', '') },
  {
    proof: spaceLimits,
    ...jobs(
      'work/job-workspace.ts',
      'limitsWith({ ...system.workspaces.limits, ...own })',
      'limitsWith({ ...system.workspaces.limits })',
    ),
  },
  {
    proof: agents('time-and-space', 'leaves limits of the kit as they are where nobody says anything'),
    ...own(
      'settings/job-limits.ts',
      "&& source === 'default') delete limits[own];",
      "&& source === 'code') delete limits[own];",
    ),
  },
  {
    proof: agents('time-and-space', 'refuses limits that no workspace can have'),
    ...own('settings/job-limits.ts', 'if (value < least ||', 'if (value < 0 ||'),
  },
  {
    proof: agents('time-and-space', 'counts no time of the warmup'),
    ...own('loop/state.ts', "|| [doing, ...todo].some((one) => one?.kind === 'warmup')", ''),
  },
  {
    proof: cleaned,
    ...jobs('changes/ending.ts', "const isTold = end.outcome !== 'completed' &&", 'const isTold = row.id === "" &&'),
  },
  { proof: cleaned, ...own('kinds/agent.ts', 'await onJobError?.(failure, context);', '') },
  {
    proof: agents('failures', 'tells of a job that was cancelled'),
    ...jobs(
      'changes/ending.ts',
      "const isTold = end.outcome !== 'completed' &&",
      "const isTold = end.outcome === 'failed' &&",
    ),
  },
  {
    proof: agents('failures', 'tells of a job that was set aside because it could not be worked on'),
    ...jobs(
      'work/runner.ts',
      '      return this.#infrastructureFailed(error);',
      '      await this.#mishap(error);\n      return false;',
    ),
  },
  {
    proof: agents('failures', 'tells nobody of a job that completes, or that is tried again'),
    ...jobs('changes/ending.ts', "const isTold = end.outcome !== 'completed' &&", 'const isTold ='),
  },
  {
    proof: agents('failures', 'tells again only what may be done twice when the process died over it'),
    ...own('kinds/agent.ts', 'if (again && options.idempotent !== true) continue;', ''),
  },
  {
    proof: agents('markdown', 'runs all blocks in order, also after one that failed'),
    ...own(
      'loop/driver.ts',
      '    if (error) this.#failed(loop);\n    return',
      '    if (error) loop.set({ todo: [] });\n    return',
    ),
  },
  {
    proof: agents('markdown', 'shows errors with their place in the code of the model, and goes on'),
    ...own('chat/console.ts', '(line ${line}', '(at ${line}'),
  },
  {
    proof: agents('markdown', 'shows the value of the last expression where nothing was printed'),
    ...own('loop/steps.ts', '(isTool || console.length === 0)', 'isTool'),
  },
  {
    proof: agents('markdown', 'tells which fences were not run, and what to do when there was nothing to run'),
    ...own('loop/reply.ts', 'errors: nothing ? 1 : 0,', 'errors: 0,\n      text: "",'),
  },
  {
    proof: agents('markdown', 'makes the request of any turn again, exactly'),
    ...own('loop/request.ts', 'asking.from, asking.upTo', 'asking.from, asking.upTo + 1'),
  },
  { proof: markdownProse, ...own('chat/actions.ts', "style === 'MARKDOWN' ? prose : []", '[]') },
  {
    proof: markdownProse,
    ...own('chat/actions.ts', "const after = style === 'MARKDOWN' ? tidy(prose) : '';", "const after = '';"),
  },
  { proof: ownLines, ...own('loop/steps.ts', '{ line: line - lead }', '{ line }') },
  { proof: ownLines, ...own('loop/steps.ts', 'movedFrame(frame, lead)', 'frame') },
  { proof: consoleProse, ...own('chat/actions.ts', 'if (!pieces.some(isRun)) return text;', 'return text;') },
  {
    proof: agents('prose', 'keeps no prose with code in a dialog, where it is for the user'),
    ...own('chat/actions.ts', "style === 'MARKDOWN' ? prose : []", 'prose'),
  },
  { proof: muted, ...own('loop/input.ts', "'limits', 'mute', 'memory'] as const", "'limits', 'memory'] as const") },
  {
    proof: muted,
    ...own(
      'loop/driver.ts',
      'if (spoken !== undefined) {\n          loop.set',
      'if (spoken === null) {\n          loop.set',
    ),
  },
  {
    proof: muted,
    ...own('kinds/dialog-agent.ts', 'if (await needed(runtime).isMute(context.job))', 'if (body === "")'),
  },
  { proof: mutedValue, ...own('loop/messages.ts', ': render(value, { language });', ': "";') },
  { proof: talked, ...jobs('changes/ending.ts', 'if (parent?.dialog !== true) return result;', 'return result;') },
  { proof: talked, ...jobs('work/program-requests.ts', '{ parent: { ...parent, future: future.number } }', '{}') },
  { proof: refusedTalk, ...jobs('work/program-requests.ts', '  talking.add(id);\n', '') },
  {
    proof: agents('delegation-variants', 'gives a child limits of its own'),
    ...own('loop/input.ts', "'chatStyle', 'limits', 'mute'", "'chatStyle', 'mute'"),
  },
  { proof: remindedOnce, ...own('reminder.ts', '|| reminded ||', '||') },
  { proof: remindedAgain, ...own('reminder.ts', 'messages < (reminder.minDialogLength ?? 1)', 'messages < 0') },
  {
    proof: remindedAgain,
    ...own('loop/driver.ts', 'if (reply.remindsAgain === true) loop.set({ reminded: false });', ''),
  },
  {
    proof: keptReminder,
    ...own(
      'kinds/dialog-agent.ts',
      'for (const host of hostsOf(this))',
      'for (const host of hostsOf(this).slice(0, 0))',
    ),
  },
  { proof: scopes, ...workspace('futures/call-cache.ts', "const isOwn = scope === 'job' ||", 'const isOwn =') },
  {
    proof: scopes,
    ...workspace('futures/call-cache.ts', "scope === 'kit' && call.method === '' ? ownName(label) : label", 'label'),
  },
  { proof: listed, ...own('listing.ts', 'input: input?.marked,', 'input: input?.json,') },
  { proof: listed, ...own('tools/schema.ts', "format === 'date-time' ? text : value", 'value') },
  {
    proof: agents('tools-shared', 'finds agents by what their tools can do'),
    ...own('kinds/coordinating-agents.ts', " ${one.capabilities.join(' ')}", ''),
  },
  { proof: sharedNames, ...own('memory/shared-names.ts', '{ value, writable: false,', '{ value, writable: true,') },
  {
    proof: sharedNames,
    ...own('tools/memory-tools.ts', '      await needed(runtime).notify(job, { shared: { name, value } });\n', ''),
  },
  { proof: told, ...own('loop/driver.ts', 'if (!call.failed) tellRemembered(loop, call.value as Remembered);', '') },
  { proof: written, ...own('examples/from-chat.ts', 'else Object.assign(pending.shift() ?? {}, shown);', '') },
  { proof: played, ...own('loop/played.ts', 'if (code !== undefined) return loop.act({ run: code });', '') },
  {
    proof: agents('played-examples', 'shows the example that a variable names'),
    ...own('tools/reading-tools.ts', "'example_id' : 'exampleId'", "'example_id' : 'example'"),
  },
  {
    proof: compared,
    ...own('tasks/states.ts', '() => workspace.rollback(commit)', 'async () => undefined'),
  },
  {
    proof: forked,
    ...own('tasks/states.ts', 'if (hash !== undefined) await workspace.fork', 'if (hash === "") await workspace.fork'),
  },
  {
    proof: viewed,
    ...own('tasks/states.ts', "focus === 'full' ? undefined : await recentNames(workspace)", 'undefined'),
  },
  {
    proof: happened,
    ...own('tasks/events.ts', "if (item.kind === 'step') commit = item.commit ?? commit;", 'commit = undefined;'),
  },
  { proof: levels, ...own('log.ts', 'if (logLevels.indexOf(level) > this.#level) return;', '') },
  {
    proof: traced,
    ...own('loop/calls.ts', '  if (log.traces) log.trace(', '  if (!log.traces) log.trace('),
  },
  {
    proof: agents('folding', 'folds old turns, keeps the originals, and makes past requests again'),
    ...own('loop/folding.ts', '< contextTokens * 0.8) return undefined;', '< contextTokens * 8) return undefined;'),
  },
  {
    proof: agents('folding', 'tells nothing of hidden code'),
    ...own('loop/folding.ts', 'if (item.warmup?.hidden === true) continue;', ''),
  },
  {
    proof: agents('long', 'sends no more with each turn once old turns are folded'),
    ...own(
      'loop/folding.ts',
      'while (length > most && gone < lines.length)',
      'while (length > most * 1000 && gone < lines.length)',
    ),
  },
  {
    proof: agents('definitions', 'is frozen, and equal definitions are kept once'),
    ...own('definition.ts', 'this.definition = deepFrozen(plain);', 'this.definition = plain;'),
  },
  {
    proof: agents('warmup', 'hides a block and what it prints'),
    ...own('chat/layout.ts', '|| item.warmup.hidden === true ? []', '? []'),
  },
  {
    proof: agents('warmup', 'fails the job when it fails, and counts no turn'),
    ...own(
      'loop/driver.ts',
      '      if (!error) return this.#goOn(loop);',
      '      if (!error || error) return this.#goOn(loop);',
    ),
  },
  {
    proof: agents('formal-tools', 'calls a tool that throws once'),
    ...workspace(
      'bridge/call-options.ts',
      'if (retry === undefined || attempt >= retry.attempts) return undefined;',
      'if (attempt >= (retry?.attempts ?? 3)) return undefined;\n  if (retry === undefined) return 0;',
    ),
  },
  {
    proof: agents('languages/door', 'asks unless the function says false, also of a function that is not async'),
    ...workspace('bridge/call-options.ts', 'return verdict !== false;', 'return verdict === true;'),
  },
  {
    proof: agents('languages/door', 'asks for approval of the same object, whichever way the call is written'),
    ...workspace(
      'bridge/bridge.ts',
      'const parameters = checkParameters(called, bound);',
      'const parameters = positional.length > 1 ? positional : checkParameters(called, bound);',
    ),
  },
  {
    proof: agents('access', 'holds rules in the comment before a class, and inside its body'),
    ...workspace('bridge/source-rules.ts', 'const rules = [...rulesBefore(target, text), ...', 'const rules = [...'),
  },
  {
    proof: agents('tasks', 'refuses wrong input before any model is asked'),
    ...own(
      'tasks/task.ts',
      "  if ('value' in result) return result.value;\n  throw new TaskInputError",
      "  if ('value' in result || name !== '') return given;\n  throw new TaskInputError",
    ),
  },
  {
    proof: agents('styles', 'CONSOLE: the whole reply is code, and the console comes in lines with >'),
    ...own('chat/layout.ts', '.map((line) => `> ${line}`)', '.map((line) => line)'),
  },
  {
    proof: withheld,
    ...workspace('bridge/exposure.ts', 'methods: whole.methods.filter(sees),', 'methods: whole.methods,'),
  },
  {
    proof: agents('access', 'shows nothing of it when the object is printed, and refuses rules that are none'),
    ...workspace('wire/render.ts', 'exposureOf(value, role).fields', 'exposureOf(value).fields'),
  },
  {
    proof: agents('access', 'knows comments from the file that statek docs has written, and their rules hold'),
    ...own('environment.ts', 'withhold(one.name, one.doc?.acl ?? [])', 'withhold(one.name, [])'),
  },
  {
    proof: agents('settings', 'examples are laid out in the style of the job, or in that of the settings, in boxes'),
    ...own('tools/reading-tools.ts', '(await needed(runtime).style(job)) ?? usualStyle', 'usualStyle'),
  },
  {
    proof: ofModels,
    ...own('agents.ts', '{ concurrency: values.modelConcurrency }', '{}'),
  },
  {
    proof: ofModels,
    ...own('agents.ts', '{ retry: { attempts: values.modelAttempts } }', '{}'),
  },
  {
    proof: agents('prompt-keys', 'DESCRIPTION is what other agents read'),
    ...own('compiled-agent.ts', "(this.#promptFile()?.metadata.description ?? '')", "''"),
  },
  {
    proof: agents('prompt-keys', 'TEMPERATURE and the parameters of the model reach the provider'),
    ...own('chat/layout.ts', '...(temperature === undefined ? {} : { temperature }),', ''),
  },
  {
    proof: agents('prompt-keys', 'difficulty never falls'),
    ...own('loop/raising.ts', 'Math.max(now, wanted)', 'wanted'),
  },
  {
    proof: agents('prompt-keys', 'AUTO_LANG_RULE takes the rule away, and AUTO_LANG_HINT adds a hint to messages'),
    ...own('compiled-agent.ts', 'locale !== undefined && metadata.languageRule !== false', 'locale !== undefined'),
  },
  {
    proof: agents('delegation', 'works on the events of an agent in the order in which they came'),
    ...jobs('system.ts', '? last + 1 / 1024 : now', '? now : now'),
  },
  {
    proof: test('tests/agents/languages/manners.test.ts', 'has facts as variables, which cannot be assigned over'),
    ...own('memory/shared-names.ts', '__statek_share__(${', 'str(${'),
  },
  {
    proof: agents('memory', 'has categories of the application beside its own'),
    ...own('services.ts', '{ clock, ...options.memory }', '{ clock }'),
  },
  {
    proof: agents('dialog', 'sends prose in DIRECT too'),
    ...own('chat/actions.ts', 'text: tidy([text])', 'text: text.trim()'),
  },
  {
    proof: agents('tool-options', 'target: is listed and offered in its chat styles only, and can be called in all'),
    ...own('tools/toolbox.ts', '(one.target?.includes(style) ?? true) && ', ''),
  },
  {
    proof: agents('tool-options', 'tells of a plain function what its comment says, in listings and to the provider'),
    ...own('tools/toolbox.ts', 'one.positional ? docOf?.(one) : undefined', 'undefined'),
  },
  {
    proof: agents('warmup', 'splits at comment lines of ten or more dashes only'),
    ...own('warmup.ts', '-{10,}', '-{5,}'),
  },
  {
    proof: agents('definitions', 'has times, pairs with response times, and tokens per second'),
    ...own('conversation.ts', 'pair.first ??= item.time', 'pair.first = item.time'),
  },
  {
    proof: agents('styles', 'runs fences labelled %s'),
    ...own('language.ts', "'typescript', 'js', 'javascript', 'tsx'", "'typescript', 'tsx'"),
  },
  {
    proof: agents('coordination', 'reads, starts and continues conversations one by one'),
    ...own('kinds/coordinating-agents.ts', '.slice(-limit)', '.slice(0, limit)'),
  },
];
