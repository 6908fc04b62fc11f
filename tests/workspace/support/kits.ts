// Kits for tests: opened on a folder or in memory, closed and removed when the test is over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Statek, type StatekOptions, type Step, type Workspace, type WorkspaceOptions } from '../../../src/index.ts';

/** A folder for a store, removed after the test. */
export function storeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'statek-workspace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A kit on a store in memory unless told otherwise. */
export async function openKit(options: Partial<StatekOptions> = {}): Promise<Statek> {
  const kit = await Statek.open({ store: 'memory:', ...options });
  onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
  return kit;
}

/** A workspace in a kit of its own, for tests that need nothing else. */
export async function openWorkspace(
  options: WorkspaceOptions = {},
  kitOptions: Partial<StatekOptions> = {},
): Promise<Workspace> {
  return (await openKit(kitOptions)).workspace('main', options);
}

/** The value of a step that must be done. */
export async function valueOf(workspace: Workspace, source: string): Promise<unknown> {
  const step = await workspace.run(source);
  if (step.status !== 'done') throw new Error(`The step is ${step.status}: ${step.error?.message ?? ''}`);
  return step.value;
}

/** The error of a step that must have failed. */
export async function errorOf(workspace: Workspace, source: string): Promise<NonNullable<Step['error']>> {
  const step = await workspace.run(source);
  if (step.error === undefined) throw new Error(`The step is ${step.status}, with the value ${String(step.value)}.`);
  return step.error;
}
