// What happens: Ann writes, agents work in a process of their own, it is killed in the middle, another one goes on.
import { GuestFunction, messageText, type Job, type JobStreamEvent, type PendingFuture, type Statek } from 'statek';
import { Calendar, fillCalendar } from './calendar.ts';
import type { Outside } from './outside.ts';
import { messages } from './script.ts';
import { chapter, listing, paint, speech, type Teller } from './terminal.ts';
import { Worker } from './worker.ts';
import { openWorld, type WorldOptions } from './world.ts';

export interface Played {
  readonly kit: Statek;
  readonly outside: Outside;
  readonly desk: Job;
  readonly thread: Job;
  readonly workers: readonly Worker[];
  readonly events: readonly JobStreamEvent[];
}

export class Story {
  readonly #options: WorldOptions;
  readonly #teller: Teller;
  readonly #kit: Statek;
  readonly #outside: Outside;
  readonly #workers: Worker[] = [];
  readonly #events: JobStreamEvent[] = [];
  readonly #ending = new AbortController();
  #told = 0;
  #asked = 0;

  static async begin(options: WorldOptions, teller: Teller): Promise<Story> {
    const { kit, outside } = await openWorld(options);
    return new Story(options, teller, kit, outside);
  }

  private constructor(options: WorldOptions, teller: Teller, kit: Statek, outside: Outside) {
    this.#options = options;
    this.#teller = teller;
    this.#kit = kit;
    this.#outside = outside;
  }

  /** This process only asks, answers and looks: it starts no worker, so everything else is done by the others. */
  async play(): Promise<Played> {
    const kit = this.#kit;
    await kit.transaction(() => fillCalendar(new Calendar()));
    const following = this.#follow(await kit.store.revision());
    try {
      this.#teller.say(chapter('Ann writes to her assistant'));
      this.#teller.say(speech('Ann', messages[0]));
      await this.#teller.pause(600);
      const desk = await kit.submit('dispatcher', { id: 'desk', message: messages[0] });
      await this.#startWorker(true);
      await this.#until(() => this.#worker.isWaitingForMail);
      await this.#killed(desk);
      await this.#startWorker(false);
      await this.#until(() => this.#areDone());
      await this.#worker.stop();
      this.#hear();
      const thread = await this.#thread();
      if (thread === undefined) throw new Error('The dispatcher has handed on nothing.');
      await desk.refresh();
      return { kit, outside: this.#outside, desk, thread, workers: this.#workers, events: this.#events };
    } finally {
      if (this.#workers.at(-1)?.end === undefined) await this.#workers.at(-1)?.kill();
      this.#ending.abort();
      await following;
    }
  }

  async close(): Promise<void> {
    await this.#kit.close();
  }

  get #worker(): Worker {
    const worker = this.#workers.at(-1);
    if (worker === undefined) throw new Error('No process works yet.');
    return worker;
  }

  async #startWorker(slowMail: boolean): Promise<void> {
    const isFirst = this.#workers.length === 0;
    this.#workers.push(await Worker.start({ ...this.#options, slowMail }));
    this.#teller.say(
      isFirst
        ? speech('', paint('dim', `process ${this.#worker.pid} opens the store and works on it`))
        : `${chapter('Another process goes on')}
  Process ${this.#worker.pid} opens the same folder. It replays nothing: the program is loaded as it was,
  and its pending wait ends. The mail is asked for again under the same key, so nobody gets it twice.\n`,
    );
  }

  /** The worst moment: the mail is out, and the process dies before it has heard of it. */
  async #killed(desk: Job): Promise<void> {
    const { say, pause } = this.#teller;
    const thread = await this.#thread();
    if (thread === undefined) throw new Error('The dispatcher has handed on nothing.');
    say(chapter('kill -9'));
    say(`  The meeting is moved and the mail about it is out, but the process has not heard yet that it is:
  the worst moment to die.`);
    await pause(900);
    const { pid } = this.#worker;
    await this.#worker.kill();
    say(
      `\n  ${paint('red', `✖ process ${pid} is killed (SIGKILL).`)} Nobody is left who knows the program. The store has it:\n`,
    );
    say(await this.#code(thread, /send_?mail\(/i, 'killed here, in the first round of the loop', 1));
    say();
    for (const [name, value] of Object.entries(await thread.locals()))
      if (!(value instanceof GuestFunction)) say(`${paint('green', name.padStart(11))}  ${oneLine(value)}`);
    const [waiting] = await thread.waiting();
    say(`${paint('green', 'waits for'.padStart(11))}  ${waiting?.label ?? 'nothing'}`);
    await pause(1200);
    say(`\n  Ann writes again. Nobody is there; it waits in the inbox.\n\n${speech('Ann', messages[1])}`);
    await desk.say(messages[1]);
    await pause(900);
  }

  /** Plays Ann, who answers what she is asked, until something has happened. */
  async #until(happened: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      this.#worker.check();
      this.#hear();
      for await (const future of this.#kit.pending()) await this.#answer(future);
      for (const { outcome, error, role } of await this.#kit.jobs({ status: 'DONE' }))
        if (outcome !== 'completed') throw new Error(`The ${role} ended as ${outcome}: ${error?.message ?? ''}`);
      if (await happened()) return;
      if (this.#workers.length === 1 && (await this.#areDone()))
        throw new Error('The assistant was done without sending any mail, so there was no moment to kill it in.');
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  async #answer({ id, kind, job, question = '' }: PendingFuture): Promise<void> {
    if (kind === 'ask') await this.#kit.answer(id, 'Decide as you think best.');
    if (kind !== 'approve') return;
    const { say, pause } = this.#teller;
    // Ann reads her second message's fate first: it was handed on while the program waits.
    if (this.#workers.length === 2 && !(await this.#isHandedOn())) return;
    if (this.#asked++ === 0) {
      say(speech('', paint('dim', 'the model has answered with a program, which runs until it has to wait:')));
      say(
        `\n${await this.#code(await this.#kit.job(job), /approve\(/, 'waits for a person, inside a loop: for a second or a year, it costs nothing')}\n`,
      );
    }
    say(speech('scheduler', question, 'magenta'));
    await pause(800);
    await this.#kit.approve(id, { by: 'Ann', comment: 'yes' });
    say(speech('Ann', 'yes'));
  }

  /** Shows what has arrived in Ann's chat. */
  #hear(): void {
    const chat = this.#outside.chat();
    if (chat.length > 0 && this.#told === 0)
      this.#teller.say(speech('', paint('dim', 'the dispatcher has started a conversation with the scheduler')));
    for (const { text } of chat.slice(this.#told)) this.#teller.say(speech('scheduler', text, 'magenta'));
    this.#told = chat.length;
  }

  /** Whether the dispatcher has handed on everything that Ann wrote. */
  async #isHandedOn(): Promise<boolean> {
    const desk = await this.#kit.job('desk');
    const read = (await desk.chat()).filter(({ kind }) => kind === 'message').length;
    return desk.status === 'DONE' && read === this.#workers.length;
  }

  async #areDone(): Promise<boolean> {
    // In this order: what is handed on starts a conversation again that was done.
    return (await this.#isHandedOn()) && (await this.#thread())?.status === 'DONE';
  }

  async #thread(): Promise<Job | undefined> {
    return (await this.#kit.jobs({ role: 'scheduler', order: 'oldest' }))[0];
  }

  /** The program the scheduler has written, with the line on which it waits. */
  async #code(job: Job, marked: RegExp, remark: string, around = Number.POSITIVE_INFINITY): Promise<string> {
    const items = await job.chat();
    const text = items.map((item) => (item.kind === 'reply' ? messageText(item.message) : '')).join('\n');
    const blocks = [...text.matchAll(/```\w*\n([\s\S]*?)\n```/g)].map((match) => match[1] ?? '');
    const code = blocks.findLast((block) => marked.test(block)) ?? blocks.at(-1) ?? text;
    const line = code.split('\n').findIndex((one) => marked.test(one));
    return listing(code, line, remark, around);
  }

  async #follow(since: number): Promise<void> {
    try {
      for await (const event of this.#kit.events({ since, signal: this.#ending.signal })) this.#events.push(event);
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
    }
  }
}

function oneLine(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'text' in value) return String(value.text);
  const json = JSON.stringify(value) as string | undefined;
  return json ?? String(value);
}
