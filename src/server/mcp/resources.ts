// Jobs and workspaces as resources, and who is told when one of them changes.
import {
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { Statek } from '../../kit/statek.ts';
import { NotFoundError } from '../../workspace/errors.ts';
import type { Access } from './options.ts';
import { lookedAt } from './shapes.ts';
import { existing, workspaceShape } from './workspace-tools.ts';

const mimeType = 'application/json';
const mostListed = 100;

export const jobUri = (id: string): string => `statek://jobs/${encodeURIComponent(id)}`;
const workspaceUri = (id: string): string => `statek://workspaces/${encodeURIComponent(id)}`;

export function registerResources(server: McpServer, kit: Statek, { maxReplyBytes }: Access): void {
  const read = async (uri: URL, make: () => Promise<unknown>): Promise<ReadResourceResult> => {
    try {
      const text = JSON.stringify(await make());
      const isLarge = Buffer.byteLength(text) > maxReplyBytes;
      return {
        contents: [{ uri: uri.href, mimeType, text: isLarge ? JSON.stringify({ tooLarge: text.length }) : text }],
      };
    } catch (error) {
      throw error instanceof NotFoundError ? new ResourceNotFoundError(uri.href) : error;
    }
  };
  server.registerResource(
    'job',
    new ResourceTemplate('statek://jobs/{id}', {
      list: async () => ({
        resources: (await kit.jobs({ limit: mostListed })).map(({ id, role, status }) => ({
          uri: jobUri(id),
          name: `${role} ${id}`,
          description: status,
          mimeType,
        })),
      }),
    }),
    { description: 'One durable run of an agent', mimeType },
    (uri, { id }) => read(uri, async () => lookedAt(await kit.job(decodeURIComponent(String(id))))),
  );
  server.registerResource(
    'workspace',
    new ResourceTemplate('statek://workspaces/{id}', {
      list: async () => {
        const names: string[] = [];
        for await (const name of kit.workspaces()) if (names.push(name) >= mostListed) break;
        return { resources: names.map((name) => ({ uri: workspaceUri(name), name, mimeType })) };
      },
    }),
    { description: 'A durable program: its variables and what it waits for', mimeType },
    (uri, { id }) => read(uri, async () => workspaceShape(await existing(kit, decodeURIComponent(String(id))))),
  );
}

export interface Told {
  /** Something of this resource is different now. */
  updated(uri: string): void;
  /** There are other resources now. */
  listChanged(): void;
}

/** Tells of changes of jobs, until it is stopped. */
export function followJobs(kit: Statek, told: Told): () => void {
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const { job, kind } of kit.events({ signal: stop.signal })) {
      if (kind === 'submitted') told.listChanged();
      told.updated(jobUri(job));
      told.updated(workspaceUri(job));
    }
  };
  // Whoever wants to know for certain reads the resource.
  follow().catch(() => undefined);
  return () => stop.abort();
}
