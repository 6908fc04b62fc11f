// How the story is told: in colours and at reading speed on a terminal, plainly and at once anywhere else.
export interface Teller {
  say(text?: string): void;
  /** Leaves time to read, on a terminal. */
  pause(milliseconds: number): Promise<void>;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const;
const { NO_COLOR, FORCE_COLOR } = process.env;
const isColoured = FORCE_COLOR !== undefined || (process.stdout.isTTY && NO_COLOR === undefined);

export function paint(colour: keyof typeof codes, text: string): string {
  return isColoured ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
}

export const terminal: Teller = {
  say: (text = '') => void process.stdout.write(`${text}\n`),
  pause: (milliseconds) =>
    process.stdout.isTTY ? new Promise((resolve) => setTimeout(resolve, milliseconds)) : Promise.resolve(),
};

/** For --json: nothing but the document is printed. */
export const silence: Teller = { say: () => undefined, pause: () => Promise.resolve() };

export function chapter(title: string): string {
  return `\n${paint('bold', `── ${title} ${'─'.repeat(Math.max(0, 92 - title.length))}`)}\n`;
}

/** Somebody says something: a name, and text beside it. */
export function speech(name: string, text: string, colour: keyof typeof codes = 'cyan'): string {
  const lines = wrapped(text, 80);
  return lines.map((line, index) => `${paint(colour, (index === 0 ? name : '').padStart(11))}  ${line}`).join('\n');
}

/** A program with its line numbers, one line of it marked; all of it, or so many lines around that one. */
export function listing(code: string, marked: number, remark: string, around: number): string {
  const lines = code.split('\n').map((line, index) => {
    if (index !== marked) return paint('dim', `${String(index + 1).padStart(11)}  ${line}`);
    const below = `${' '.repeat(13)}${' '.repeat(line.search(/\S/))}└─ ${remark}`;
    return `${paint('yellow', `${`▶ ${index + 1}`.padStart(11)}  ${line}`)}\n${paint('yellow', below)}`;
  });
  return lines.filter((_, index) => marked < 0 || Math.abs(index - marked) <= around).join('\n');
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
