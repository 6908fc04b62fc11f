// Prints a conversation. On a terminal, text appears as it is said and is erased if it is taken back; elsewhere only what is
// committed is printed.
import type { ChatEvent } from '../../server/chat/chat-event.ts';
import { harmless, oneLine } from '../output/style.ts';
import type { Output } from '../output/output.ts';
import { textWidth } from '../output/table.ts';
import { jsonValue } from '../output/values.ts';

const maxShownCharacters = 300;

export class ChatPrinter {
  readonly #out: Output;
  /** What stands on the screen and may still be taken back. */
  #volatile = '';
  /** What is not printed before it is committed, by part. */
  readonly #parts = new Map<string, string>();

  constructor(out: Output) {
    this.#out = out;
  }

  show(event: ChatEvent): void {
    const { style } = this.#out;
    if (event.type === 'text' || event.type === 'reasoning') {
      this.#hear(event);
      return;
    }
    if (event.type === 'text-end' || event.type === 'reasoning-end') {
      this.#endText(event.part);
      return;
    }
    if (event.type === 'reset') {
      this.#takeBack();
      return;
    }
    switch (event.type) {
      case 'said':
        this.line(style.bold(`> ${harmless(event.text)}`));
        break;
      case 'call':
        // A question is printed as text.
        if (event.by === 'server') this.line(style.cyan(`→ ${harmless(event.name)} ${short(event.input)}`));
        break;
      case 'decided':
        this.line(style.dim(`  ${event.approved ? 'approved' : 'denied'}`));
        break;
      case 'output':
        this.line(style.dim(`← ${short(event.output)}`));
        break;
      case 'failed':
        this.line(style.red(`← ${oneLine(event.error)}`));
        break;
      case 'denied':
        this.line(style.red('← denied'));
        break;
      case 'step':
        this.#step(event.step);
        break;
      case 'notice':
        this.line(style.dim(`${harmless(event.from)}: ${harmless(event.text)}`));
        break;
      case 'file':
        this.line(style.dim(`[${harmless(event.file.filename ?? event.file.mediaType)}]`));
        break;
      case 'rest':
        this.#endLine();
        if (event.rest.reason === 'failed' || event.rest.reason === 'limit')
          this.line(style.red(harmless(event.rest.text)));
        if (event.rest.reason === 'cancelled') this.line(style.dim(harmless(event.rest.text)));
        if (event.rest.reason === 'paused') this.line(style.dim('The job is paused; statek resume continues it.'));
        if (event.rest.reason === 'rollback') this.line(style.dim(`Rolled back to ${event.rest.commit.slice(0, 12)}.`));
        break;
      case 'turn':
      case 'call-text':
      case 'approval':
      case 'position':
        break;
    }
  }

  line(text: string): void {
    this.#endLine();
    this.#out.line(text);
  }

  #hear({ type, part, text, isFirst }: Extract<ChatEvent, { type: 'text' | 'reasoning' }>): void {
    if (!this.#out.isTerminal) {
      this.#parts.set(part, (this.#parts.get(part) ?? '') + text);
      return;
    }
    if (isFirst) this.#break();
    const shown = harmless(text);
    this.#volatile += shown;
    this.#out.write(type === 'reasoning' ? this.#out.style.dim(shown) : shown);
  }

  #endText(part: string): void {
    const text = this.#parts.get(part);
    this.#parts.delete(part);
    if (text !== undefined) this.#out.line(harmless(text));
    this.#endLine();
  }

  /** Erases what stands on the screen, as far as it has not left it. */
  #takeBack(): void {
    this.#parts.clear();
    const { width = 80, height = 24 } = this.#out;
    const rows = this.#volatile
      .split('\n')
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / width)), 0);
    if (this.#volatile !== '' && rows <= height) this.#out.write(`\r${rows > 1 ? `\u001B[${rows - 1}A` : ''}\u001B[J`);
    else if (this.#volatile !== '') this.#out.write(`\n${this.#out.style.dim('The reply begins again:')}\n`);
    this.#volatile = '';
  }

  #step({ console, error, value }: Extract<ChatEvent, { type: 'step' }>['step']): void {
    const { style } = this.#out;
    for (const printed of console) for (const text of printed.split('\n')) this.line(style.dim(`| ${harmless(text)}`));
    if (value !== undefined) this.line(style.dim(`= ${oneLine(value)}`));
    if (error !== undefined) this.line(style.red(`${harmless(error.name)}: ${oneLine(error.message)}`));
  }

  /** What follows is committed, so that what stands there stays. */
  #endLine(): void {
    this.#break();
    this.#volatile = '';
  }

  #break(): void {
    if (this.#volatile === '' || this.#volatile.endsWith('\n')) return;
    this.#volatile += '\n';
    this.#out.write('\n');
  }
}

function short(value: unknown): string {
  const text = oneLine(typeof value === 'string' ? value : JSON.stringify(jsonValue(value) ?? null));
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;
}
