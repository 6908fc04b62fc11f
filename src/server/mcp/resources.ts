// Jobs and workspaces as MCP resources, with change notifications.
import {
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { Statek } from '../../kit/statek.ts';
import { NotFoundError } from '../../workspace/door.ts';
import type { Access } from './options.ts';
import { jobWithWaits } from './job-shapes.ts';
import { existing, workspaceShape } from './workspace-tools.ts';

const mimeType = 'application/json';
const maxListed = 100;

export const jobUri = (id: string): string => `statek://jobs/${encodeURIComponent(id)}`;
const workspaceUri = (id: string): string => `statek://workspaces/${encodeURIComponent(id)}`;

export function registerResources(server: McpServer, kit: Statek, { maxReplyBytes }: Access): void {
  const read = async (uri: URL, make: () => Promise<unknown>): Promise<ReadResourceResult> => {
    try {
      const made = await make();
      const text = JSON.stringify(kit.redactor?.value(made) ?? made);
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
        resources: (await kit.jobs({ limit: maxListed })).map(({ id, role, status }) => ({
          uri: jobUri(id),
          name: `${role} ${id}`,
          description: status,
          mimeType,
        })),
      }),
    }),
    { description: 'One durable run of an agent', mimeType },
    (uri, { id }) => read(uri, async () => jobWithWaits(await kit.job(decodeURIComponent(String(id))))),
  );
  server.registerResource(
    'workspace',
    new ResourceTemplate('statek://workspaces/{id}', {
      list: async () => {
        const names: string[] = [];
        for await (const name of kit.workspaces()) if (names.push(name) >= maxListed) break;
        return { resources: names.map((name) => ({ uri: workspaceUri(name), name, mimeType })) };
      },
    }),
    { description: 'A durable program: its variables and what it waits for', mimeType },
    (uri, { id }) => read(uri, async () => workspaceShape(await existing(kit, decodeURIComponent(String(id))))),
  );
}

export interface ResourceListener {
  /** The resource has changed. */
  updated(uri: string): void;
  /** Resources were added or removed. */
  listChanged(): void;
}

/** Notifies a listener of changes of jobs. Returns a function that stops it. */
export function followJobs(kit: Statek, listener: ResourceListener): () => void {
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const { job, kind } of kit.events({ signal: stop.signal })) {
      if (kind === 'submitted') listener.listChanged();
      listener.updated(jobUri(job));
      listener.updated(workspaceUri(job));
    }
  };
  // Notifications are best effort; clients read the resource to be certain.
  follow().catch(() => undefined);
  return () => stop.abort();
}
