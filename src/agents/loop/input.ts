// What a job of an agent is given when it is submitted, and what it passes on to the jobs it starts.
import type { ChatItem as ExampleItem } from '../examples/example.ts';
import type { MemoryOptions, StoredBinding } from '../memory/granted.ts';
import type { LoopState } from './state.ts';

/** What `kit.submit` tells the driver. */
export interface AgentInput {
  readonly definition?: string | undefined;
  /** What its definition was made from, where newer code may have to make it again. */
  readonly made?: Readonly<Record<string, unknown>> | undefined;
  readonly warmup?: string | undefined;
  readonly parameters?: unknown;
  readonly locale?: string | undefined;
  readonly chatStyle?: string | undefined;
  /** What it is bound to, of what is remembered across jobs; `true`: what the job that started it is bound to. */
  readonly memory?: MemoryOptions | boolean | undefined;
  /** What the job that started it is bound to. */
  readonly within?: StoredBinding | undefined;
  /** Roles of the agents whose tools are told when the job fails. */
  readonly handlers?: readonly string[] | undefined;
  /** It sends nothing; what it would have sent is its result. */
  readonly mute?: boolean | undefined;
  /** A conversation it goes through again before its model is asked. */
  readonly example?: readonly ExampleItem[] | undefined;
}

/** What those who start a job of an agent from another one may give. */
export const childOptions = ['warmup', 'parameters', 'locale', 'chatStyle', 'limits', 'mute', 'memory'] as const;

/** A child speaks the language of its parent, and those who clean up after the parent are told when the child fails. */
export function inheritance(role: string, state: LoopState | null): Readonly<Record<string, unknown>> {
  const { locale, handlers = [], memory } = state ?? {};
  return {
    ...(locale === undefined ? {} : { locale }),
    handlers: [...handlers, role],
    ...(memory === undefined ? {} : { within: memory }),
  };
}
