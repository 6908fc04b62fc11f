// The loop of an agent as a driver of jobs: ask the model, run what it wrote, show it the outcome, ask again. A pure
// function of what is in the store; asking, sending and folding are calls that the jobs layer records and makes.
import type { Driver, EndedCall, EndedStep, NextAction, ProgramEnd, Turn } from '../../jobs/driver.ts';
import type { JobError } from '../../jobs/rows.ts';
import { messageText } from '../../models/message.ts';
import type { Agent } from '../agent.ts';
import { actionsOf } from '../chat/actions.ts';
import { definitionRows } from '../chat/item.ts';
import type { JobDef, JobDefinition } from '../definition.ts';
import { dialects } from '../language.ts';
import { noCounts, reachedLimit } from '../limits.ts';
import { isDialog } from '../settings/chat-style.ts';
import { agentCalls } from './calls.ts';
import type { AskedReply } from './calls.ts';
import { foldAfter, foldInput, type FoldedTurns } from './folding.ts';
import { messageItem, noticeItem, setupOf } from './messages.ts';
import type { AgentRuntime } from './runtime.ts';
import { firstState, LoopTurn, type LoopState, type Todo } from './state.ts';
import { raised } from './raising.ts';
import { stepItem, uncheckedItem } from './steps.ts';
import type { TypeIssue } from '../types/checker.ts';

/** Which part of what is remembered a job reads and writes. */
export interface MemoryOptions {
  /** Texts and durable objects. */
  readonly specifiers: readonly (string | object)[];
  readonly readonly?: boolean | undefined;
}

/** What `kit.submit` tells the driver. */
export interface AgentInput {
  readonly definition?: string | undefined;
  readonly warmup?: string | undefined;
  readonly parameters?: unknown;
  readonly locale?: string | undefined;
  readonly chatStyle?: string | undefined;
  /** What it is bound to, of what is remembered across jobs. */
  readonly memory?: MemoryOptions | undefined;
  /** Roles of the agents whose tools are told when the job fails. */
  readonly handlers?: readonly string[] | undefined;
}

export function agentDriver(
  agent: Agent,
  runtime: AgentRuntime,
  tools: { readonly vars: Readonly<Record<string, unknown>> },
): Driver {
  const loop = new AgentLoop(agent, runtime);
  const limits = agent.workspaceLimits();
  return {
    role: agent.role,
    reopens: true,
    endings: true,
    get vars() {
      return tools.vars;
    },
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    calls: agentCalls(agent, runtime),
    options: ['warmup', 'parameters', 'locale', 'chatStyle'],
    bequeaths: (state) => inheritance(agent.role, state as unknown as LoopState | null),
    next: (turn) => loop.next(turn),
  };
}

/** A child speaks the language of its parent, and those who clean up after the parent are told when the child fails. */
function inheritance(role: string, state: LoopState | null): Readonly<Record<string, unknown>> {
  const { locale, handlers = [] } = state ?? {};
  return { ...(locale === undefined ? {} : { locale }), handlers: [...handlers, role] };
}

class AgentLoop {
  readonly #agent: Agent;
  readonly #runtime: AgentRuntime;

  constructor(agent: Agent, runtime: AgentRuntime) {
    this.#agent = agent;
    this.#runtime = runtime;
  }

  next(turn: Turn): NextAction {
    const { event } = turn;
    if (turn.state === null) return this.#begin(turn);
    const loop = new LoopTurn(turn, turn.state as unknown as LoopState);
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
        // A job that was over has been opened again: it counts anew, with the same workspace.
        if (turn.turn === 1) loop.set({ counts: noCounts(loop.now), doing: null, todo: [], reply: null, ending: null });
        return this.#ask(loop);
    }
  }

  #begin(turn: Turn): NextAction {
    const { event } = turn;
    if (event.kind === 'call' && event.call.name === 'load') {
      if (event.call.failed) return { fail: event.call.error ?? 'The definition of the job could not be read.' };
      return this.#start(turn, (turn.input as AgentInput).definition ?? '', event.call.value as JobDefinition);
    }
    const { definition: hash, ...rest } = (turn.input ?? {}) as AgentInput;
    if (hash !== undefined) {
      const known = this.#runtime.definitions.get(hash);
      return known === undefined
        ? { call: 'load', input: { definition: hash }, keepMessages: true }
        : this.#start(turn, hash, known);
    }
    // Another job started this one: its definition is made now.
    const made = this.#agent.definitionFor(rest);
    return this.#start(turn, made.hash, made.definition, made);
  }

  #start(turn: Turn, hash: string, definition: JobDefinition, made?: JobDef): NextAction {
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
        handlers: (turn.input as AgentInput | undefined)?.handlers ?? [],
        difficulty: definition.difficulty,
        todo: definition.warmup.map((block) => ({ kind: 'warmup', block })),
      }),
    );
    if (made !== undefined)
      loop.write({ kind: 'put', collection: definitionRows, key: [made.hash], value: made.definition });
    if ((turn.input as AgentInput | undefined)?.memory !== undefined) return loop.act({ call: 'memories' });
    return this.#goOn(loop);
  }

  /** Does what is left of the last reply or of the warmup; when nothing is, the turn is over. */
  #goOn(loop: LoopTurn): NextAction {
    for (;;) {
      const [todo, ...rest] = loop.state.todo;
      if (todo === undefined) return this.#replyDone(loop);
      loop.set({ todo: rest, doing: todo });
      const action = this.#act(loop, todo);
      if (action !== undefined) return action;
    }
  }

  #act(loop: LoopTurn, todo: Todo): NextAction | undefined {
    switch (todo.kind) {
      case 'warmup':
        return loop.act({ run: todo.block.source, warmup: true });
      case 'setup':
        return loop.act({ run: todo.source });
      case 'code':
        if (loop.state.reply?.hasFailed !== true || todo.call !== undefined)
          return loop.act(
            loop.state.typeCheck === true
              ? { call: 'check', input: { definition: loop.state.definition, source: todo.source } }
              : { run: todo.source },
          );
        loop.add({ kind: 'note', text: 'A block of code was not run, because one before it failed.' });
        return undefined;
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
        const input = { text: todo.text, reply: loop.state.reply?.item ?? 0, part: loop.state.todo.length };
        return loop.act({ call: 'send', input });
      }
    }
  }

  #callSource({ state }: LoopTurn, { name, input }: Extract<Todo, { kind: 'tool' }>): string | undefined {
    const found = this.#agent.allTools().find((one) => one.name === name);
    return found && dialects[state.language].callOf(name, input, found.input?.marked, found.positional);
  }

  /** Everything a reply asked for is done. */
  #replyDone(loop: LoopTurn): NextAction {
    const { reply } = loop.state;
    loop.set({ doing: null, reply: null });
    if (reply === null) return this.#ask(loop);
    const { counts } = loop.state;
    loop.count({
      errors: counts.errors + reply.errors,
      errorsInARow: reply.errors > 0 ? counts.errorsInARow + 1 : 0,
    });
    if (!reply.isFinal) {
      if (this.#agent.remindsAgain) loop.set({ reminded: false });
      return this.#ask(loop);
    }
    // Somebody may have said something meanwhile; then there is more to do.
    if (loop.turn.messages.length > 0 && !loop.taken) return this.#ask(loop);
    const wrong = this.#agent.refusedResult(loop.state.task, reply.text);
    if (wrong === undefined) return loop.act({ finish: reply.text });
    loop.add({ kind: 'note', text: wrong });
    loop.count({ errors: counts.errors + 1, errorsInARow: counts.errorsInARow + 1 });
    return this.#ask(loop);
  }

  #stepEnded(loop: LoopTurn, step: EndedStep): NextAction {
    const { doing } = loop.state;
    const error = step.status === 'failed';
    loop.add(stepItem(step, doing));
    if (doing?.kind === 'warmup' || doing?.kind === 'setup') {
      if (!error) return this.#goOn(loop);
      const { name = 'Error', message = '' } = step.error ?? {};
      return this.#fail(loop, { name, message: `The ${doing.kind} failed: ${name}: ${message}` });
    }
    if (error) this.#failed(loop, doing?.kind === 'code');
    return this.#goOn(loop);
  }

  /** The program called exit or fail. */
  #programEnded(loop: LoopTurn, step: EndedStep, end: ProgramEnd): NextAction {
    const { doing } = loop.state;
    loop.add(stepItem({ ...step, status: 'done', error: undefined, value: undefined }, doing));
    loop.set({ todo: [], doing: null });
    if (end.outcome === 'failed')
      return this.#fail(loop, { name: 'Error', message: end.reason ?? 'The agent gave up.' });
    const wrong = this.#agent.refusedResult(loop.state.task, end.value);
    if (wrong !== undefined) {
      loop.add({ kind: 'note', text: wrong });
      this.#failed(loop);
      return this.#replyDone(loop);
    }
    loop.set({ reply: null });
    return loop.act({ finish: end.value });
  }

  #called(loop: LoopTurn, call: EndedCall): NextAction {
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
        if (!call.failed && call.value !== '')
          loop.add({ kind: 'note', text: `What is remembered from earlier jobs:\n${String(call.value)}` });
        return this.#goOn(loop);
      default: {
        // Those who clean up after a failed job were told.
        const { ending } = loop.state;
        return loop.act({ fail: ending?.error ?? 'The job failed.', outcome: ending?.outcome ?? 'failed' });
      }
    }
  }

  /** Code whose types are right is run; the rest is an error of its author, like any other. */
  #checked(loop: LoopTurn, call: EndedCall): NextAction {
    const { doing } = loop.state;
    if (doing?.kind !== 'code') return this.#goOn(loop);
    // Without an answer of the checker, the code shows itself whether it is right.
    const issues = call.failed ? [] : (call.value as readonly TypeIssue[]);
    if (issues.length === 0) return loop.act({ run: doing.source });
    loop.add(uncheckedItem(issues, doing));
    this.#failed(loop, true);
    return this.#goOn(loop);
  }

  #sent(loop: LoopTurn, call: EndedCall): NextAction {
    const { doing, reply } = loop.state;
    const text = doing?.kind === 'send' ? doing.text : '';
    const error = call.failed ? `${call.error?.name ?? 'Error'}: ${call.error?.message ?? ''}` : undefined;
    loop.add({ kind: 'sent', text, reply: reply?.item ?? 0, ...(error === undefined ? {} : { error }) });
    if (error !== undefined) loop.add({ kind: 'note', text: `What you wrote may not have been delivered: ${error}` });
    return this.#goOn(loop);
  }

  /** Asks the model, unless a limit is reached or the conversation has to be folded first. */
  #ask(loop: LoopTurn, mayFold = true): NextAction {
    this.#takeMessages(loop);
    if (loop.state.todo.length > 0) return this.#goOn(loop);
    const { state } = loop;
    const reached = reachedLimit(state.limits, state.counts, loop.now);
    if (reached !== undefined)
      return this.#fail(
        loop,
        { name: 'LimitError', message: `The job has reached a limit: ${reached}.`, code: 'LIMIT' },
        'limit',
      );
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
    for (const message of loop.turn.messages) {
      const raising = raised(loop.state.difficulty, message, loop.turn.job.id);
      if (raising !== undefined) {
        if (keys.has(raising.key)) continue;
        keys.add(raising.key);
        loop.set({ difficulty: raising.difficulty });
        continue;
      }
      loop.add(message.kind === 'notice' ? noticeItem(message) : messageItem(message));
      if (message.kind !== 'message') continue;
      loop.set({ heldBack: 0, reminded: false, messages: loop.state.messages + 1 });
      const setup = setupOf(message).map((source): Todo => ({ kind: 'setup', source }));
      loop.set({ todo: [...loop.state.todo, ...setup] });
    }
  }

  /** The model has replied; the reply is committed with what follows from it. */
  #replied(loop: LoopTurn, call: EndedCall): NextAction {
    if (call.failed) {
      const error = call.error ?? { name: 'Error', message: 'The model could not be asked.' };
      const { state } = loop;
      // The conversation became too long sooner than was thought.
      const upTo =
        error.code === 'MODEL_CONTEXT_TOO_LONG' ? foldAfter({ ...state, used: Number.POSITIVE_INFINITY }) : undefined;
      if (upTo !== undefined) return loop.act({ call: 'fold', input: foldInput(state, upTo) });
      return this.#fail(loop, error);
    }
    const { reply, asked, suppressed, original } = call.value as AskedReply;
    const { message, finish, usage, warnings } = reply;
    const { state } = loop;
    const turn = state.turn + 1;
    const item = loop.add({
      kind: 'reply',
      turn,
      message,
      finish,
      usage,
      ...(warnings.length === 0 ? {} : { warnings }),
      difficulty: state.difficulty,
      asked,
      ...(suppressed === undefined ? {} : { suppressed }),
      ...(original === undefined ? {} : { original }),
    });
    const { counts } = state;
    loop.count({
      turns: counts.turns + 1,
      tokens: counts.tokens + usage.tokens.input + usage.tokens.output,
      cost: counts.cost + (usage.cost?.amount ?? 0),
    });
    loop.set({
      turn,
      starts: [...state.starts, item],
      used: usage.tokens.input + usage.tokens.output,
      added: 0,
    });
    if (suppressed !== undefined) {
      loop.add({ kind: 'note', text: suppressed });
      loop.set({ heldBack: state.heldBack + 1 });
      return this.#ask(loop);
    }
    return this.#carryOut(loop, item, reply);
  }

  #carryOut(loop: LoopTurn, item: number, { message, finish }: AskedReply['reply']): NextAction {
    const { style, language, tools } = loop.state;
    const text = messageText(message);
    const dialect = dialects[language];
    const { actions, notes, isFinal } = actionsOf(message, finish, { style, dialect, tools, sends: this.#agent.sends });
    for (const note of notes) loop.add({ kind: 'note', text: note });
    const nothing = isFinal && (!isDialog(style) || text.trim() === '');
    const state = {
      item,
      isFinal: isFinal && !nothing,
      hasFailed: false,
      text: isFinal ? text : '',
      errors: nothing ? 1 : 0,
    };
    loop.set({ reply: state, todo: nothing ? [] : actions });
    if (nothing) {
      const what = isDialog(style) ? 'Your reply was empty.' : 'There was nothing to run in your reply.';
      loop.add({
        kind: 'note',
        text: `${what} Write ${dialect.title} code${style === 'MARKDOWN' ? ` in a fence labelled ${dialect.fences[0] ?? ''}` : ''}, or call exit(value) if you are done.`,
      });
    }
    const reminder = state.isFinal ? this.#agent.reminderFor(loop.state) : undefined;
    if (reminder === undefined) return this.#goOn(loop);
    loop.add({ kind: 'note', text: reminder });
    loop.set({ reminded: true, reply: null, todo: [] });
    return this.#ask(loop);
  }

  #folded(loop: LoopTurn, call: EndedCall): NextAction {
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

  #failed(loop: LoopTurn, stopsCode = false): void {
    const { reply } = loop.state;
    if (reply === null) return;
    loop.set({ reply: { ...reply, errors: reply.errors + 1, hasFailed: reply.hasFailed || stopsCode } });
  }

  /** Ends the job, after those who clean up were told of it. */
  #fail(loop: LoopTurn, error: JobError, outcome: 'failed' | 'limit' = 'failed'): NextAction {
    const { handlers } = loop.state;
    const isTold =
      this.#agent.hasErrorHandlers || handlers.some((role) => this.#runtime.agents.get(role)?.hasErrorHandlers);
    if (!isTold) return loop.act({ fail: error, outcome });
    loop.set({ ending: { error, outcome } });
    return loop.act({ call: 'jobError', input: { name: error.name, message: error.message, handlers } });
  }
}
