// What a prompt file is: settings, then a text that is told differently by difficulty and filled in for each job.
//
//     # MODEL: L:openai/gpt-5-mini,MH:anthropic/claude-opus-5
//     # CHAT_STYLE: MARKDOWN
//     # MAX_TURNS: 30
//     # PARAMETERS: company
//     # System Prompt
//     You keep the calendar of {company}.
//
//     <Hint difficulty="L">Answer at once.</Hint>
//
//     --- MH: Planning ---
//     Think of everybody's time zone first.
//
//     --- Tools ---
//     ```ts
//     // {brief_tools}
//     ```
//
// - A line `# KEY: value` is a setting; keys nobody knows are kept. `# System Prompt` ends the settings.
// - Sections begin with `--- Title ---`, `*** Title ***`, or a heading of two or more `#`, and last until the next heading
//   of the same or a higher rank; the first two rank above `##`. `<Tag>…</Tag>` is a section too, and ends those that begin in it. A title that
//   begins with `MH:`, or a tag with `difficulty="MH"`, shows its section at those difficulties only; the mark itself is
//   never shown.
// - `{name}` is a placeholder: of a listing, or of a parameter. One that is unknown is an error when the file is read, with its
//   line. Other braces are left alone: `{ a: 1 }`, `{}`, `${name}`, and inside code whatever is not a known name.
//   `{{name}}` is `{name}` in the prompt.
// - A placeholder on a line that begins with `#` or `//` gives a listing in which each line begins so.
import type { Difficulty } from '../../models/door.ts';
import type { AgentMetadata } from './metadata.ts';

/** The placeholders every prompt may use. What they stand for is asked for only when a prompt uses them. */
export const listingNames = ['brief_tools', 'tools', 'detailed_tools', 'shared_var_names', 'types'] as const;

export interface Prompt {
  readonly path: string;
  /** Of the whole file: another text has another hash. */
  readonly hash: string;
  readonly metadata: AgentMetadata;
  readonly template: PromptTemplate;
}

export interface PromptTemplate {
  /** As it was written, without the settings. */
  readonly text: string;
  /** The names of its placeholders, at every difficulty. */
  readonly placeholders: ReadonlySet<string>;
  /** The text for a job. Values are asked for once each, and only those that are shown. */
  render(difficulty: Difficulty, valueOf: (placeholder: string) => string | undefined): string;
}
