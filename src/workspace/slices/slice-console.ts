// What a slice prints: lines, indented by groups, up to what the step may print. What is left out is counted and said.
import { cutText, renderLine } from '../wire/render.ts';
import type { ConsoleLine } from '../rows.ts';

// A line is stored, and told from others, by one of these; nothing else comes from boot code.
const levels: ReadonlySet<string> = new Set(['log', 'info', 'debug', 'warn', 'error']);
const deepestGroup = 20;
const maxErrorLength = 1000;

export class SliceConsole {
  readonly #step: number;
  readonly #limit: number;
  readonly #role: string | undefined;
  readonly #lines: ConsoleLine[] = [];
  #printed: number;
  #cut = 0;
  #groups = 0;

  /** `printed` is what the step has printed in earlier slices; objects look as `role` may see them. */
  constructor(step: number, limit: number, printed: number, role?: string) {
    this.#role = role;
    this.#step = step;
    this.#limit = limit;
    this.#printed = printed;
  }

  /** What the step has printed so far; every line counts for one more than its text. */
  get printed(): number {
    return this.#printed;
  }

  print(level: string, values: readonly unknown[]): void {
    if (level === 'groupEnd') {
      this.#groups = Math.max(0, this.#groups - 1);
      return;
    }
    const indent = '  '.repeat(Math.min(this.#groups, deepestGroup));
    this.#add(levels.has(level) ? level : 'log', renderLine(values, { role: this.#role }).replaceAll(/^/gm, indent));
    if (level === 'group') this.#groups++;
  }

  /** An error that was thrown where nobody could catch it. */
  uncaught(text: string): void {
    this.#add('error', `Nobody caught: ${cutText(text, maxErrorLength)}`);
  }

  lines(): readonly ConsoleLine[] {
    if (this.#cut === 0) return this.#lines;
    const text = `… ${this.#cut} more characters were printed and left out; a step may print ${this.#limit}.`;
    return [...this.#lines, { step: this.#step, level: 'warn', text }];
  }

  #add(level: string, text: string): void {
    const room = Math.max(0, this.#limit - this.#printed);
    this.#printed += text.length + 1;
    if (text.length > room) this.#cut += text.length - room;
    if (room > 0) this.#lines.push({ step: this.#step, level, text: text.slice(0, room) });
  }
}
