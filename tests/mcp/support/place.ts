// A folder for one test, with the desk's log in it.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { McpCommandOptions } from '../../../src/mcp.ts';

/** What a program inherits of Node's cache; MCP clients pass on no more than a few variables of the environment. */
export function childEnvironment(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}

export class Place {
  readonly folder: string;
  readonly log: string;
  readonly #children: ChildProcess[] = [];

  constructor(folder = mkdtempSync(join(tmpdir(), 'statek-mcp-'))) {
    this.folder = folder;
    this.log = join(folder, 'log');
  }

  /** What starts the desk as a program of its own. */
  command(more: Partial<McpCommandOptions> = {}): McpCommandOptions {
    return {
      name: 'desk',
      command: process.execPath,
      args: [join(import.meta.dirname, 'desk-child.ts'), this.log],
      env: childEnvironment(),
      ...more,
    };
  }

  /** Starts the desk on a port; returns its address and its process. */
  async http(way: 'http' | 'modern' = 'http'): Promise<{ url: string; child: ChildProcess }> {
    const child = fork(join(import.meta.dirname, 'desk-child.ts'), [this.log, way]);
    this.#children.push(child);
    const [port] = (await once(child, 'message')) as [number];
    return { url: `http://127.0.0.1:${port}/mcp`, child };
  }

  lines(): string[] {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').trim().split('\n') : [];
  }

  /** Makes `slow` and `look` wait until `release`. */
  hold(): void {
    writeFileSync(`${this.log}.hold`, '');
  }

  release(): void {
    rmSync(`${this.log}.hold`, { force: true });
  }

  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    for (let round = 0; round < 2000; round++) {
      if (await condition()) return;
      await sleep(10);
    }
    throw new Error('It did not come to that.');
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
