// How code, console, dialog and tools are laid out for a model.

/**
 * How a model writes code and prose: code alone, prose with code in fences (as a note or as a dialog), or prose with tool calls.
 */
export type ChatStyle = 'CONSOLE' | 'MARKDOWN' | 'MD_DIALOG' | 'DIRECT';

export const chatStyles: readonly ChatStyle[] = ['CONSOLE', 'MARKDOWN', 'MD_DIALOG', 'DIRECT'];

/** In a dialog a reply with nothing to run is an answer; elsewhere only `exit` ends a job. */
export function isDialog(style: ChatStyle): boolean {
  return style === 'MD_DIALOG' || style === 'DIRECT';
}
