// How code, console, dialog and tools are laid out for a model.

export type ChatStyle = 'CONSOLE' | 'MARKDOWN' | 'MD_DIALOG' | 'DIRECT';

export const chatStyles: readonly ChatStyle[] = ['CONSOLE', 'MARKDOWN', 'MD_DIALOG', 'DIRECT'];
