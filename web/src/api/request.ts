// Requests to the API of the server that served this page. Addresses are relative to the page, so any prefix works.
import { token } from './token.ts';
import type { List } from './types.ts';

/** What the server says when it refuses something: its code, and a message for people. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function headers(): Record<string, string> {
  const known = token();
  return known === undefined ? {} : { authorization: `Bearer ${known}` };
}

/** The address of a route, with what is in braces filled in by `path`. */
export function address(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  const text = parameters.toString();
  return `v1${path}${text === '' ? '' : `?${text}`}`;
}

/** A path of a route: `at\`/jobs/${id}\`` with every part encoded. */
export function at(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.reduce((text, part, index) => {
    const value = values[index];
    return text + part + (value === undefined ? '' : encodeURIComponent(String(value)));
  }, '');
}

export async function get<Answer>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer> {
  const response = await send(address(path, query), {
    headers: headers(),
    ...(signal === undefined ? {} : { signal }),
  });
  return (await response.json()) as Answer;
}

export async function post<Answer>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<Answer> {
  const response = await send(address(path), {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  return (await response.json()) as Answer;
}

export async function remove<Answer>(path: string): Promise<Answer> {
  const response = await send(address(path), { method: 'DELETE', headers: headers() });
  return (await response.json()) as Answer;
}

/** Fetches a file with the token, and gives it to the browser to keep. */
export async function download(path: string, name: string, query?: Query): Promise<void> {
  const response = await send(address(path, query), { headers: headers() });
  saveAs(
    await response.blob(),
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? name,
  );
}

export function saveAs(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok) return response;
  throw await refusalOf(response);
}

async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text().catch(() => '');
  try {
    const problem = JSON.parse(text) as { code?: string; detail?: string; details?: Record<string, unknown> };
    return new Refusal(response.status, problem.code ?? 'UNKNOWN', problem.detail ?? text, problem.details);
  } catch {
    // A proxy in between answers in its own words.
    return new Refusal(response.status, 'UNKNOWN', text.slice(0, 300) || `The server answered ${response.status}.`);
  }
}

/** Whether the server does not know this route: an older one, or a part of it that is switched off. */
export function isUnknownRoute(error: unknown): boolean {
  return error instanceof Refusal && error.status === 404 && error.message.startsWith('There is nothing at');
}

/** The end of a list. */
export interface Latest<Item> {
  /** Oldest first. */
  readonly items: readonly Item[];
  /** There are items before them, or may be. */
  readonly isMore: boolean;
}

/** Pages that a search looks through before it says that there may be more. */
const pagesOfSearch = 20;

/** The last items of a list. */
export async function latest<Item>(
  path: string,
  query: Query & { readonly limit: number },
  signal?: AbortSignal,
): Promise<Latest<Item>> {
  const found: Item[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesOfSearch; pages++) {
    const limit = query.limit - found.length;
    const page: List<Item> = await get<List<Item>>(path, { ...query, limit, order: 'newest', cursor }, signal);
    found.push(...page.items);
    ({ cursor } = page);
    if (cursor === undefined || found.length >= query.limit) break;
  }
  return { items: found.toReversed(), isMore: cursor !== undefined };
}

/** A whole list, page by page: for a file, not for the screen. */
export async function everything<Item>(path: string, query: Query = {}): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const page: List<Item> = await get<List<Item>>(path, { ...query, limit: 1000, cursor });
    all.push(...page.items);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return all;
}
