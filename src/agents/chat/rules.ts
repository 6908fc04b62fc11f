// What a model is told about the way it is to write, unless its agent's prompt does so itself (AUTO_STYLE_RULE: false).
import { dialects } from '../language.ts';
import type { Language } from '../prompts/metadata.ts';
import type { ChatStyle } from '../settings/chat-style.ts';

export function styleRule(style: ChatStyle, language: Language): string {
  const { title, fences, codeTool, comment } = dialects[language];
  const [fence] = fences;
  const workspace = `Variables, functions and classes stay from one piece of code to the next. What you print, errors, and the value of the last expression are shown to you.${language === 'typescript' ? ' Use await for what takes time.' : ' Calls that take time simply wait. start(function, …) begins one without waiting; get_all([…]) gives the results of several.'}`;
  const end = 'Call exit(value) when you are done, or fail(reason) if it cannot be done.';
  switch (style) {
    case 'CONSOLE':
      return `You write ${title} into a console: your whole reply is code, and is run as it is. Thoughts go into comments (${comment}). ${workspace} ${end}`;
    case 'MARKDOWN':
      return `You work by writing ${title} code in fences labelled ${fence}; each one is run, in order. ${workspace} ${end}`;
    case 'MD_DIALOG':
      return `You talk with a user. What you write is sent to them, except code in fences labelled ${fence}: it is run in your workspace, and only you see its output. ${workspace} A reply without code ends your turn.`;
    case 'DIRECT':
      return `You talk with a user: what you write is sent to them. To do something, call tools. Code runs only through ${codeTool}, if you have it. A reply without tool calls ends your turn.`;
  }
}
