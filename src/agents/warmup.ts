// Warmup: code of the application that runs in a job's workspace before the model is asked for the first time. A comment
// line of ten or more dashes separates its blocks; each is a step. Lines `//STATEK: …` or `#STATEK: …` are directives.
import { AgentSettingsError } from './errors.ts';
import type { Language } from './prompts/metadata.ts';

export type WarmupBlock = {
  readonly source: string;
  /** Neither the code nor what it prints is shown to the model. */
  readonly hidden?: true;
  /** Shown as a tool call. */
  readonly asTool?: true;
};

const comments: Readonly<Record<Language, string>> = { typescript: '//', python: '#' };

export function warmupBlocks(text: string, language: Language): WarmupBlock[] {
  const comment = comments[language];
  const dashes = new RegExp(`^\\s*${comment}\\s*-{10,}\\s*$`);
  const blocks: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (dashes.test(line)) blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks
    .map((lines) => blockOf(language === 'python' ? withoutMargin(lines) : lines, comment))
    .filter(({ source }) => source.trim() !== '');
}

/** Where indentation means something, what all lines have in common is the margin of the text around them. */
export function withoutMargin(lines: readonly string[]): string[] {
  const margins = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  const margin = margins.reduce((common, one) => {
    let length = 0;
    while (length < common.length && common[length] === one[length]) length++;
    return common.slice(0, length);
  }, margins[0] ?? '');
  return lines.map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line.trimStart()));
}

function blockOf(lines: readonly string[], comment: string): WarmupBlock {
  const directive = new RegExp(`${comment}\\s*STATEK:\\s*(.*?)\\s*$`, 'i');
  let hidden = false;
  let asTool = false;
  const kept: string[] = [];
  for (const line of lines) {
    const match = directive.exec(line);
    kept.push(match === null ? line : line.slice(0, match.index).trimEnd());
    if (match === null) continue;
    const text = (match[1] ?? '').toLowerCase().replaceAll(/\s+/g, ' ');
    if (text === 'as tool') asTool = true;
    else if (/^hidden ?= ?(?:true|false)$/.test(text)) hidden = text.endsWith('true');
    else
      throw new AgentSettingsError(
        `The warmup has the directive '${match[1] ?? ''}'; there are 'as tool' and 'hidden = True'.`,
        { directive: match[1] },
      );
  }
  const source = kept
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  return { source, ...(hidden ? { hidden: true as const } : {}), ...(asTool ? { asTool: true as const } : {}) };
}
