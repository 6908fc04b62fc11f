// Examples: conversations that show a model how a task is done. They are files, `<examples>/<role>/**/*.md`:
//
//     # name: Move a meeting
//     # seq_id: 10
//     # difficulty: M
//
//     ### user
//
//     Move weekly planning to Friday.
//
//     ### assistant
//
//     I look for it first.
//
//     ```ts
//     const meeting = calendar.findMeeting('Weekly planning');
//     print(meeting);
//     ```
//
//     ```console
//     <Meeting 'Weekly planning'>
//     ```
//
// Each `### user`, `### assistant` or `### system` begins an item; a file without them is the assistant's. Code is in fences of a language that
// runs, what it printed in a fence `console` or in lines that begin with `> ` below the code. Other fences are text. A backslash before such a
// line makes it text. A finished job can be written as such a file and read again.
import type { Difficulty } from '../../models/door.ts';

/** A conversation that shows a model how a task is done. */
export interface Example {
  readonly name: string;
  /** `seq_id`: its number and its place in the list. */
  readonly number?: number | undefined;
  readonly difficulty?: Difficulty | undefined;
  /** What was said, in order; `code` and what it printed belong to the assistant. */
  readonly items: readonly {
    readonly role: 'user' | 'assistant' | 'system';
    readonly text?: string;
    readonly code?: string;
    readonly console?: string;
  }[];
}

export type ChatItem = Example['items'][number];
