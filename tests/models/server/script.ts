// What the local server is told to say, in words of no provider, and what it is told to do wrong.

export interface ServerUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

export interface ServerReply {
  readonly reasoning?: string;
  /** In pieces, as they are streamed. */
  readonly text?: readonly string[];
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly finish?: 'stop' | 'length' | 'refused' | 'broken';
  readonly usage?: ServerUsage;
  /** An error in the middle of the stream, in the provider's own words. */
  readonly streamError?: true;
  readonly fault?: Fault;
}

export type Fault =
  /** The connection is broken, or ended as if all were well, after this many events. */
  | { readonly kind: 'cut' | 'end'; readonly after: number }
  /** Nothing more is sent, and the connection stays. `after` undefined: not even an answer. */
  | { readonly kind: 'hang'; readonly after?: number }
  /** Everything is sent, so many bytes at a time. */
  | { readonly kind: 'crumbs'; readonly bytes: number }
  | { readonly kind: 'invalid-json' }
  | { readonly kind: 'oversized'; readonly bytes: number };

/** Another answer than 200. */
export interface ServerFailure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One wire format: the events of a reply, and how errors are written. */
export interface WireFormat {
  events(reply: ServerReply, model: string): readonly string[];
  error(status: number, message: string, code: string): string;
}

export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

export const usageOf = ({ usage }: ServerReply): Required<ServerUsage> => ({
  cached: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...(usage ?? { input: 10, output: 5 }),
});
