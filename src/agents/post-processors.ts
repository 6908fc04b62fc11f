// Post-processors look at a reply before anything of it is run or sent: they let it pass, replace its text, or hold it
// back with a note for the model. A reply that was held back is never run.
import { refuseUnknownOptions, wholeNumberOption } from '../base/options.ts';
import { AgentSettingsError } from './errors.ts';
import type { PostProcessorSetting } from './prompts/metadata.ts';

/** Looks at each reply of a model before anything of it is run or sent. */
export interface PostProcessor {
  /** What the journal calls it. */
  readonly name: string;
  /**
   * `isFinal`: the reply runs nothing, so it would end the turn. `actions` counts its pieces of code and tool calls, `heldBack` the
   * replies held back since the last message. Returns undefined to let it pass, new text, or a note for the model that holds it back.
   */
  process(reply: {
    readonly text: string;
    readonly isFinal: boolean;
    readonly actions: number;
    readonly job: string;
    readonly turn: number;
    readonly heldBack: number;
  }):
    | undefined
    | { readonly replace: string }
    | { readonly suppress: string }
    | Promise<undefined | { readonly replace: string } | { readonly suppress: string }>;
}

export function isPostProcessor(value: unknown): value is PostProcessor {
  const { name, process } = (value ?? {}) as Partial<PostProcessor>;
  return typeof name === 'string' && typeof process === 'function';
}

/** Holds back an answer that would end the turn, and asks the model to check its work: at most `maxActions` times per message. */
export function FinalCheck(
  options: { readonly maxActions?: number | undefined; readonly note?: string | undefined } = {},
): PostProcessor {
  refuseUnknownOptions('FinalCheck', options, { maxActions: true, note: true });
  const { maxActions = 1, note = defaultNote } = options;
  wholeNumberOption('FinalCheck', 'maxActions', maxActions, 1, 1000);
  return {
    name: 'FinalCheck',
    process: ({ isFinal, heldBack }) => (isFinal && heldBack < maxActions ? { suppress: note } : undefined),
  };
}

const defaultNote =
  'Before this answer is given: check that everything that was asked for is done and correct. If something is missing, do it now; otherwise give your final answer again.';

/** Those that prompt files can name. */
const builtIn: Readonly<Record<string, (options: never) => PostProcessor>> = { FinalCheck };

export function builtInPostProcessor({ name, options }: PostProcessorSetting): PostProcessor {
  const make = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  if (make === undefined)
    throw new AgentSettingsError(
      `There is no post-processor '${name}'; there are: ${Object.keys(builtIn).join(', ')}.`,
      { name },
    );
  return make(options as never);
}
