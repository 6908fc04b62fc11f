// Colours for terminals that support them, and escaping of untrusted text.

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** FORCE_COLOR (`0` means no) wins over NO_COLOR; otherwise only terminals get colours. */
export function wantsColour(isTerminal: boolean, environment: Environment): boolean {
  const forced = environment['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if ((environment['NO_COLOR'] ?? '') !== '') return false;
  return isTerminal && environment['TERM'] !== 'dumb';
}

export function styleFor(isColoured: boolean): Style {
  const mark =
    (open: number, close: number) =>
    (text: string): string =>
      isColoured && text !== '' ? `\u001B[${open}m${text}\u001B[${close}m` : text;
  return {
    bold: mark(1, 22),
    dim: mark(2, 22),
    red: mark(31, 39),
    green: mark(32, 39),
    yellow: mark(33, 39),
    cyan: mark(36, 39),
  };
}

/** Escapes control characters, so that text from programs cannot control the terminal. Keeps tabs and newlines. */
export function harmless(text: string): string {
  return text.replaceAll(
    // eslint-disable-next-line no-control-regex -- these are the characters to escape
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g,
    (character) => {
      const code = character.charCodeAt(0).toString(16);
      return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
    },
  );
}

/** Escapes text and puts it on one line, for a table cell. */
export function oneLine(text: string): string {
  return harmless(text.replaceAll(/\s*\n\s*/g, ' ⏎ ').replaceAll('\t', ' '));
}
