// The loop of an agent as a driver of jobs: ask the model, run what it wrote, show it the outcome, ask again. A pure
// function of what is in the store; asking, sending and folding are calls that the jobs layer records and makes.
import { InvalidOptionError } from '../../base/options.ts';
import type { Driver, EndedCall, EndedStep, ProgramEnd, Turn } from '../../jobs/door.ts';
import { render } from '../../workspace/door.ts';
import type { AgentDefinition } from '../kinds/agent-definition.ts';
import type { CompiledAgent } from '../compiled-agent.ts';
import { definitionRows } from '../chat/item.ts';
import type { JobDef, JobDefinition } from '../definition.ts';
import { dialects } from '../language.ts';
import { nameInCode } from '../tools/toolbox.ts';
import { allowance, noCounts, reachedLimit, workspaceLimits } from '../limits.ts';
import { reminderText } from '../reminder.ts';
import { bindingOf, type StoredBinding } from '../memory/granted.ts';
import { sharedSource } from '../memory/shared-names.ts';
import { agentCalls, tellHandlers, type AskedReply, type Remembered } from './calls.ts';
import { foldAfter, foldInput, type FoldedTurns } from './folding.ts';
import { childOptions, inheritance, type AgentInput } from './input.ts';
import { messageItem, mutedResult, noticeItem, ownNews, setupOf } from './messages.ts';
import { playedItem } from './played.ts';
import { tellRemembered } from './remembered.ts';
import { leaveUndone } from './reopened.ts';
import { restartedText } from './restarted.ts';
import { addReply, takeReply } from './reply.ts';
import type { AgentRuntime } from './runtime.ts';
import { firstState, LoopTurn, type LoopAction, type LoopState, type Todo } from './state.ts';
import { raised } from './raising.ts';
import { stepItem, uncheckedItem, warmupSource } from './steps.ts';
import { unmadeNote } from './unmade.ts';
import type { TypeIssue } from '../types/checker.ts';

export function agentDriver(
  compiled: CompiledAgent,
  runtime: AgentRuntime,
  tools: { varsWith(context: readonly string[]): Readonly<Record<string, unknown>> },
): Driver<LoopState> {
  const { agent } = compiled;
  const loop = new AgentLoop(compiled, runtime);
  return {
    role: agent.role,
    version: agent.options.version,
    onChange: agent.options.onChange,
    paidCalls: ['model'],
    reopens: true,
    endings: true,
    vars: (state) => tools.varsWith(state?.context ?? []),
    limits: (state) => workspaceLimits(state?.limits ?? {}),
    allowance: (state) => allowance(state?.limits),
    calls: agentCalls(compiled, runtime),
    options: childOptions,
    get about() {
      return { description: compiled.description, capabilities: agent.capabilities };
    },
    language: (state) => state?.language ?? compiled.language,
    inputForChildren: (state) => inheritance(agent.role, state),
    next: (turn) => loop.next(turn),
    failed: (failure, call) => tellHandlers(agent, runtime, failure, call),
  };
}

class AgentLoop {
  readonly #agent: AgentDefinition;
  readonly #compiled: CompiledAgent;
  readonly #runtime: AgentRuntime;

  constructor(compiled: CompiledAgent, runtime: AgentRuntime) {
    this.#agent = compiled.agent;
    this.#compiled = compiled;
    this.#runtime = runtime;
  }

  next(turn: Turn<LoopState>): LoopAction {
    const { event } = turn;
    if (turn.state === null) return this.#begin(turn);
    const loop = new LoopTurn(turn, turn.state);
    // A job that was over has been opened again: it counts anew, with the same workspace.
    if (turn.turn === 1) loop.set({ counts: noCounts(loop.now) });
    switch (event.kind) {
      case 'step':
        return this.#stepEnded(loop, event.step);
      case 'end':
        return this.#programEnded(loop, event.step, event.end);
      case 'call':
        return this.#called(loop, event.call);
      case 'begin':
        return this.#ask(loop);
      default:
        if (turn.turn === 1) leaveUndone(loop);
        return this.#ask(loop);
    }
  }

  #begin(turn: Turn<LoopState>): LoopAction {
    const { event } = turn;
    if (event.kind === 'call' && event.call.name === 'load') {
      if (event.call.failed) return { fail: event.call.error ?? 'The definition of the job could not be read.' };
      return this.#start(turn, (turn.input as AgentInput).definition ?? '', event.call.value as JobDefinition);
    }
    const { definition: hash, made: options, ...rest } = (turn.input ?? {}) as AgentInput;
    // It was started again by newer code, so it is what that code makes of it.
    if (turn.job.restarted !== undefined && options !== undefined) {
      const made = this.#compiled.definitionFor({ ...options, vars: turn.vars });
      return this.#start(turn, made.hash, made.definition, made);
    }
    if (hash !== undefined) {
      const known = this.#runtime.definitions.get(hash);
      return known === undefined
        ? { call: 'load', input: { definition: hash }, keepMessages: true }
        : this.#start(turn, hash, known);
    }
    // Another job started this one: its definition is made now.
    const made = this.#compiled.definitionFor({ ...rest, vars: turn.vars });
    return this.#start(turn, made.hash, made.definition, made);
  }

  #start(turn: Turn<LoopState>, hash: string, definition: JobDefinition, made?: JobDef): LoopAction {
    const input = (turn.input ?? {}) as AgentInput;
    let memory: StoredBinding | undefined;
    try {
      memory = bindingOf(input, turn.job.parent !== undefined);
    } catch (error) {
      if (!(error instanceof InvalidOptionError)) throw error;
      return { fail: { name: error.name, message: error.message } };
    }
    // The code of another job names nothing of what is private here: a job's program wrote it, and not the application.
    const isOfProgram = made !== undefined && turn.job.parent !== undefined;
    const context = isOfProgram ? [] : this.#compiled.contextNamedIn(definition.warmup.map(({ source }) => source));
    const loop = new LoopTurn(
      turn,
      firstState(turn, {
        definition: hash,
        style: definition.style,
        language: definition.language,
        limits: definition.limits,
        tools: definition.tools.map(({ name }) => name),
        contextTokens: definition.contextTokens,
        task: definition.task ?? null,
        ...(definition.locale === undefined ? {} : { locale: definition.locale }),
        ...(definition.types === undefined ? {} : { typeCheck: true as const }),
        handlers: input.handlers ?? [],
        difficulty: definition.difficulty,
        todo: [
          ...definition.warmup.map((block): Todo => ({ kind: 'warmup', block })),
          ...(input.example ?? []).map((item): Todo => ({ kind: 'example', item })),
        ],
        ...(context.length === 0 ? {} : { context }),
        ...(input.mute === true ? { spoken: [] } : {}),
        ...(memory === undefined ? {} : { memory }),
      }),
    );
    if (made !== undefined)
      loop.write({ kind: 'put', collection: definitionRows, key: [made.hash], value: made.definition });
    if (turn.job.restarted !== undefined) loop.add({ kind: 'note', text: restartedText(turn.job.restarted) });
    if (memory !== undefined) return loop.act({ call: 'memories' });
    return this.#goOn(loop);
  }

  /** Does what is left of the last reply or of the warmup; when nothing is, the turn is over. */
  #goOn(loop: LoopTurn): LoopAction {
    for (;;) {
      const [todo, ...rest] = loop.state.todo;
      if (todo === undefined) return this.#replyDone(loop);
      loop.set({ todo: rest, doing: todo });
      const action = this.#act(loop, todo);
      if (action !== undefined) return action;
    }
  }

  #act(loop: LoopTurn, todo: Todo): LoopAction | undefined {
    switch (todo.kind) {
      case 'warmup':
        return loop.act({ run: warmupSource(todo.block, loop.state.language), warmup: true });
      case 'setup':
        return loop.act({ run: todo.source });
      case 'code':
        return loop.act(
          loop.state.typeCheck === true
            ? { call: 'check', input: { definition: loop.state.definition, source: todo.source } }
            : { run: todo.source },
        );
      case 'example':
        return playedItem(loop, todo.item);
      case 'tool': {
        const source = this.#callSource(loop, todo);
        if (source !== undefined) return loop.act({ run: source });
        loop.add({
          kind: 'result',
          id: todo.id,
          name: todo.name,
          output: `The tool '${todo.name}' is not there any more.`,
        });
        this.#failed(loop);
        return undefined;
      }
      case 'refused': {
        const { id, name, output } = todo;
        loop.add({ kind: 'result', id, name, output });
        this.#failed(loop);
        return undefined;
      }
      case 'send': {
        const { spoken } = loop.state;
        if (spoken !== undefined) {
          loop.set({ spoken: [...spoken, todo.text] });
          return undefined;
        }
        const input = { text: todo.text, reply: loop.state.reply?.item ?? 0, part: loop.state.todo.length };
        return loop.act({ call: 'send', input });
      }
    }
  }

  #callSource({ state }: LoopTurn, { name, input }: Extract<Todo, { kind: 'tool' }>): string | undefined {
    const found = this.#compiled
      .allTools()
      .find((one) => one.name === name || nameInCode(one.name, state.language) === name);
    return found && dialects[state.language].callOf(name, input, found.input?.marked, found.positional);
  }

  /** Everything a reply asked for is done. */
  #replyDone(loop: LoopTurn): LoopAction {
    const { reply } = loop.state;
    loop.set({ doing: null, reply: null });
    if (reply === null) return this.#ask(loop);
    const { counts } = loop.state;
    loop.count({
      errors: counts.errors + reply.errors,
      errorsInARow: reply.errors > 0 ? counts.errorsInARow + 1 : 0,
    });
    if (!reply.isFinal) {
      if (reply.remindsAgain === true) loop.set({ reminded: false });
      return this.#ask(loop);
    }
    // Somebody may have said something meanwhile; then there is more to do.
    if (loop.turn.messages.length > 0 && !loop.taken) return this.#ask(loop);
    const wrong = this.#agent.refusedResult(loop.state.task, reply.text);
    if (wrong === undefined) return this.#finish(loop, undefined, reply.text);
    loop.add({ kind: 'note', text: wrong });
    loop.count({ errors: counts.errors + 1, errorsInARow: counts.errorsInARow + 1 });
    return this.#ask(loop);
  }

  #stepEnded(loop: LoopTurn, step: EndedStep): LoopAction {
    const { doing } = loop.state;
    const error = step.status === 'failed';
    loop.add(stepItem(step, doing, loop.state.language, this.#compiled.allTools()));
    if (doing?.kind === 'warmup' || doing?.kind === 'setup') {
      // Limits count from the end of the warmup on.
      if (doing.kind === 'warmup') loop.count({ since: loop.now });
      if (!error) return this.#goOn(loop);
      const { name = 'Error', message = '' } = step.error ?? {};
      return loop.act({ fail: { name, message: `The ${doing.kind} failed: ${name}: ${message}` } });
    }
    if (error) this.#failed(loop);
    return this.#goOn(loop);
  }

  /** The program called exit or fail. */
  #programEnded(loop: LoopTurn, step: EndedStep, end: ProgramEnd): LoopAction {
    const { doing } = loop.state;
    const { language } = loop.state;
    const wrong =
      end.outcome === 'failed'
        ? undefined
        : (unmadeNote(end.unmade, this.#agent.role, language) ?? this.#agent.refusedResult(loop.state.task, end.value));
    const isResult = end.outcome !== 'failed' && wrong === undefined && end.value !== undefined;
    loop.add({
      ...stepItem({ ...step, status: 'done', error: undefined, value: undefined }, doing, language),
      ...(isResult ? { exit: render(end.value, { language }) } : {}),
    });
    loop.set({ todo: [], doing: null });
    if (end.outcome === 'failed')
      return loop.act({ fail: { name: 'Error', message: end.reason ?? 'The agent gave up.' } });
    if (wrong !== undefined) {
      loop.add({ kind: 'note', text: wrong });
      this.#failed(loop);
      return this.#replyDone(loop);
    }
    loop.set({ reply: null });
    return this.#finish(loop, end.value, undefined);
  }

  /** A job that was muted has what it would have said as its result. */
  #finish(loop: LoopTurn, value: unknown, text: string | undefined): LoopAction {
    const { spoken, language } = loop.state;
    if (spoken === undefined) return loop.act({ finish: text ?? value });
    const said = this.#agent.sends ? undefined : text;
    return loop.act({ finish: mutedResult(spoken, loop.turn.messages, said, value, language) });
  }

  #called(loop: LoopTurn, call: EndedCall): LoopAction {
    switch (call.name) {
      case 'model':
        return this.#replied(loop, call);
      case 'send':
        return this.#sent(loop, call);
      case 'fold':
        return this.#folded(loop, call);
      case 'check':
        return this.#checked(loop, call);
      case 'memories':
        if (!call.failed) tellRemembered(loop, call.value as Remembered);
        return this.#goOn(loop);
      default:
        return loop.act({ fail: `The agent made a call '${call.name}', which is not known.` });
    }
  }

  /** Code whose types are right is run; the rest is an error of its author, like any other. */
  #checked(loop: LoopTurn, call: EndedCall): LoopAction {
    const { doing } = loop.state;
    if (doing?.kind !== 'code') return this.#goOn(loop);
    // Code that was to be checked does not run unchecked, for instance in a process that has no compiler.
    if (call.failed) return loop.act({ fail: call.error ?? 'The types of its code could not be checked.' });
    const issues = call.value as readonly TypeIssue[];
    if (issues.length === 0) return loop.act({ run: doing.source });
    loop.add(uncheckedItem(issues, doing));
    this.#failed(loop);
    return this.#goOn(loop);
  }

  #sent(loop: LoopTurn, call: EndedCall): LoopAction {
    const { doing, reply } = loop.state;
    const text = doing?.kind === 'send' ? doing.text : '';
    const error = call.failed ? `${call.error?.name ?? 'Error'}: ${call.error?.message ?? ''}` : undefined;
    loop.add({ kind: 'sent', text, reply: reply?.item ?? 0, ...(error === undefined ? {} : { error }) });
    if (error !== undefined) loop.add({ kind: 'note', text: `What you wrote may not have been delivered: ${error}` });
    return this.#goOn(loop);
  }

  /** Asks the model, unless a limit is reached or the conversation has to be folded first. */
  #ask(loop: LoopTurn, mayFold = true): LoopAction {
    this.#takeMessages(loop);
    if (loop.state.todo.length > 0) return this.#goOn(loop);
    const { state } = loop;
    const reached = reachedLimit(state.limits, state.counts, loop.now);
    if (reached !== undefined)
      return loop.act({
        fail: { name: 'LimitError', message: `The job has reached a limit: ${reached}.`, code: 'LIMIT' },
        outcome: 'limit',
      });
    const upTo = mayFold ? foldAfter(state) : undefined;
    if (upTo !== undefined) return loop.act({ call: 'fold', input: foldInput(state, upTo) });
    const input = {
      definition: state.definition,
      from: state.folded + 1,
      foldItem: state.foldItem,
      upTo: state.next - 1,
      difficulty: state.difficulty,
      turn: state.turn + 1,
      heldBack: state.heldBack,
    };
    return loop.act({ call: 'model', input });
  }

  #takeMessages(loop: LoopTurn): void {
    if (loop.taken) return;
    loop.take();
    const keys = new Set<string>();
    const { language } = loop.state;
    for (const message of loop.turn.messages) {
      const raising = raised(loop.state.difficulty, message, loop.turn.job.id);
      if (raising !== undefined) {
        if (keys.has(raising.key)) continue;
        keys.add(raising.key);
        loop.set({ difficulty: raising.difficulty });
        continue;
      }
      const { spoken, shared } = ownNews(message, loop.turn.job.id);
      if (spoken !== undefined) {
        loop.set({ spoken: [...(loop.state.spoken ?? []), spoken] });
        continue;
      }
      if (shared !== undefined) {
        const source = sharedSource([shared], language);
        if (source !== undefined) loop.set({ todo: [...loop.state.todo, { kind: 'setup', source }] });
        continue;
      }
      loop.add(message.kind === 'notice' ? noticeItem(message, language) : messageItem(message, language));
      if (message.kind !== 'message') continue;
      loop.set({ heldBack: 0, reminded: false, messages: loop.state.messages + 1 });
      const setup = setupOf(message).map((source): Todo => ({ kind: 'setup', source }));
      loop.set({ todo: [...loop.state.todo, ...setup] });
    }
  }

  /** The model has replied; the reply is committed with what follows from it. */
  #replied(loop: LoopTurn, call: EndedCall): LoopAction {
    if (call.failed) {
      const error = call.error ?? { name: 'Error', message: 'The model could not be asked.' };
      const { state } = loop;
      // The conversation became too long sooner than was thought.
      const upTo =
        error.code === 'MODEL_CONTEXT_TOO_LONG' ? foldAfter({ ...state, used: Number.POSITIVE_INFINITY }) : undefined;
      if (upTo !== undefined) return loop.act({ call: 'fold', input: foldInput(state, upTo) });
      return loop.act({ fail: error });
    }
    const asked = call.value as AskedReply;
    const { reply, suppressed, reminder } = asked;
    const { state } = loop;
    const item = addReply(loop, asked);
    if (suppressed !== undefined) {
      loop.add({ kind: 'note', text: suppressed });
      loop.set({ heldBack: state.heldBack + 1 });
      return this.#ask(loop);
    }
    return this.#carryOut(loop, item, reply, reminder);
  }

  #carryOut(loop: LoopTurn, item: number, reply: AskedReply['reply'], reminder: AskedReply['reminder']): LoopAction {
    const isAnswer = takeReply(loop, item, reply, this.#agent.sends, reminder?.everyAnswer === true);
    const text = isAnswer ? reminderText(reminder, loop.state) : undefined;
    if (text === undefined) return this.#goOn(loop);
    loop.add({ kind: 'note', text });
    loop.set({ reminded: true, reply: null, todo: [] });
    return this.#ask(loop);
  }

  #folded(loop: LoopTurn, call: EndedCall): LoopAction {
    if (call.failed) return this.#ask(loop, false);
    const { upTo, text, digest, size } = call.value as FoldedTurns;
    const { state } = loop;
    const foldItem = loop.add({ kind: 'fold', upTo, text, digest });
    loop.set({
      folded: upTo,
      foldItem,
      starts: state.starts.filter((start) => start > upTo),
      used: 0,
      added: size,
    });
    return this.#ask(loop, false);
  }

  #failed(loop: LoopTurn): void {
    const { reply } = loop.state;
    if (reply !== null) loop.set({ reply: { ...reply, errors: reply.errors + 1 } });
  }
}
