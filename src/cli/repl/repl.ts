// The loop of statek repl: reads lines until a step is complete, runs it, prints the result.
import { stepRows, workspaceRows } from '../../workspace/rows.ts';
import type { LanguageName } from '../../workspace/language-name.ts';
import type { Step } from '../../workspace/step.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { stepRecord } from '../shown/describe.ts';
import { exitCodes } from '../line/exit-codes.ts';
import { followStep } from '../shown/follow-step.ts';
import { harmless } from '../output/style.ts';
import type { Session } from '../session.ts';
import { inFull } from '../shown/variables.ts';
import { dotCommand } from './dot-commands.ts';
import { isIncomplete } from './incomplete.ts';
import { Lines } from './lines.ts';

/** Rejects the wait for a step that ^C stopped. */
const stoppedByUser = new Error('stopped');

/** Returns 1 if a step of piped input failed. On a terminal, failures are normal and it returns 0. */
export async function runRepl(session: Session, workspace: Workspace): Promise<number> {
  return new Repl(session, workspace).run();
}

class Repl {
  readonly #session: Session;
  readonly #workspace: Workspace;
  readonly #isTerminal: boolean;
  #typed = '';
  #stop: (() => void) | undefined;
  #lines: Lines | undefined;
  #failures = 0;

  constructor(session: Session, workspace: Workspace) {
    this.#session = session;
    this.#workspace = workspace;
    this.#isTerminal = process.stdin.isTTY && process.stdout.isTTY && !session.out.isJson;
  }

  async run(): Promise<number> {
    const { out } = this.#session;
    const kit = await this.#session.kit('work');
    const [entry] = await kit.store.read(workspaceRows, [[this.#workspace.id]]);
    const language: LanguageName = entry?.value.language ?? 'typescript';
    const lines = (this.#lines = new Lines({
      input: process.stdin,
      output: process.stdout,
      isTerminal: this.#isTerminal,
      history: this.#isTerminal ? await this.#history() : [],
      onInterrupt: () => this.#onInterrupt(),
    }));
    try {
      if (this.#isTerminal)
        out.note(`Workspace ${harmless(this.#workspace.id)} (${language}). Type .help for help, .exit to leave.`);
      await this.#resumePendingStep();
      for (;;) {
        const line = await this.#session.unlessInterrupted(lines.next(this.#prompt()));
        if (line === undefined) break;
        if (this.#typed === '' && line.trim() === '') continue;
        if (line.trim() === '.exit') break;
        if (line.trim() === '.break') this.#typed = '';
        else if (this.#typed === '' && /^\s*\.[a-z]+/i.test(line)) await this.#dot(line);
        else {
          this.#typed += `${line}\n`;
          if (!isIncomplete(this.#typed, language)) await this.#runTyped();
        }
      }
      // Runs the rest of a pipe even if it looks incomplete.
      if (!this.#isTerminal && this.#typed.trim() !== '') await this.#runTyped();
    } finally {
      lines.close();
    }
    return this.#isTerminal || this.#failures === 0 ? exitCodes.ok : exitCodes.failed;
  }

  #prompt(): string {
    return this.#typed === '' ? '> ' : '… ';
  }

  /** ^C discards the typed input, or stops the running step; the workspace stays open. */
  #onInterrupt(): void {
    if (this.#stop !== undefined) this.#stop();
    else {
      this.#typed = '';
      this.#lines?.dropLine(this.#prompt());
    }
  }

  async #runTyped(): Promise<void> {
    const source = this.#typed.trimEnd();
    this.#typed = '';
    try {
      const [before] = await this.#workspace.commits({ limit: 1 });
      await this.#follow(await this.#workspace.run(source), before?.hash);
    } catch (error) {
      this.#reportError(error);
    }
  }

  /** Continues a step that was still waiting when the last process ended. */
  async #resumePendingStep(): Promise<void> {
    const { store } = await this.#session.kit('work');
    const [entry] = await store.read(workspaceRows, [[this.#workspace.id]]);
    const current = entry?.value.state.current ?? null;
    if (current === null) return;
    const [row] = await store.read(stepRows, [[this.#workspace.id, current]]);
    this.#session.out.note(`Step ${current} is still running; ^C undoes it.`);
    await this.#follow(await this.#workspace.step(current), row?.value.before);
  }

  async #follow(begun: Step, before: string | undefined): Promise<void> {
    const { out } = this.#session;
    let stop: () => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(stoppedByUser);
    });
    stopped.catch(() => undefined);
    this.#stop = stop;
    try {
      const step = await followStep(this.#session, this.#workspace, begun, stopped);
      if (step.status === 'failed') this.#failures++;
      if (out.isJson)
        out.jsonLine({ ...stepRecord(step), value: (await inFull(await this.#session.kit('work'), step.value)).json });
    } catch (error) {
      if (error !== stoppedByUser) throw error;
      await this.#undoStep(begun, before);
    } finally {
      this.#stop = undefined;
    }
  }

  /** A waiting step blocks every later one, so stopping it rolls the program back to the commit before it. */
  async #undoStep({ number }: Step, before: string | undefined): Promise<void> {
    const hash = before ?? (await this.#commitBefore(number));
    if (hash === undefined) return;
    await this.#workspace.rollback(hash);
    this.#session.out.note('Stopped and rolled back to before that step.');
  }

  async #commitBefore(step: number): Promise<string | undefined> {
    let cursor: string | undefined;
    let isPast = false;
    do {
      const page = await this.#workspace.commitPage(cursor === undefined ? {} : { cursor });
      for (const commit of page.commits) {
        if (commit.step === step) isPast = true;
        else if (isPast) return commit.hash;
      }
      ({ cursor } = page);
    } while (cursor !== undefined);
    return undefined;
  }

  async #dot(line: string): Promise<void> {
    const { out } = this.#session;
    try {
      const context = { kit: await this.#session.kit('work'), workspace: this.#workspace, out };
      const done = await dotCommand(context, line);
      if (done === undefined)
        out.note(`Unknown command ${harmless(line.trim().split(/\s/)[0] ?? '')}; .help lists the commands.`);
      else if (out.isJson) out.jsonLine(done);
    } catch (error) {
      this.#reportError(error);
    }
  }

  /** An error ends the step, not the session. */
  #reportError(error: unknown): void {
    if (this.#session.signal.aborted) throw error;
    const { code = 'ERROR', message } = error as { code?: string; message: string };
    this.#failures++;
    this.#session.out.note(`${this.#session.out.noteStyle.red(code)}: ${harmless(message)}`);
  }

  /** Earlier one-line steps of this workspace, newest first. */
  async #history(): Promise<string[]> {
    const { store } = await this.#session.kit('work');
    const { entries } = await store.scan(stepRows, { prefix: [this.#workspace.id] }, { reverse: true, limit: 200 });
    return entries.map(({ value }) => value.source).filter((source) => !source.includes('\n'));
  }
}
