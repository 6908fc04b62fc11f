// Durable objects for tests: opened on a store in memory or a folder, closed when the test is over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { DurableClass } from '../../../src/objects/declaration.ts';
import { Objects } from '../../../src/objects/objects.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';

/** A folder for a store, removed after the test. */
export function storeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'statek-objects-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store on this folder, or in memory; closed after the test. */
export async function openTestStore(location = 'memory:'): Promise<Store> {
  const isFolder = !location.includes(':');
  const store = await openStore(location, isFolder ? { sqlite: { durability: 'relaxed' } } : {});
  onTestFinished(() => store.close());
  return store;
}

/** Objects of these classes in a store of their own, unless one is given. */
export async function openObjects(classes: readonly DurableClass[], store?: Store): Promise<Objects> {
  const objects = await Objects.open(store ?? (await openTestStore()), { classes });
  onTestFinished(async () => {
    await objects.plainWrites.settle();
    objects.close();
  });
  return objects;
}

/** Writes everything, closes, and opens the same store with these classes again. */
export async function reopen(objects: Objects, classes: readonly DurableClass[]): Promise<Objects> {
  await objects.plainWrites.flush();
  objects.close();
  return openObjects(classes, objects.store);
}

/** What an action throws. */
export function thrownBy(action: () => unknown): Error & { code?: string; details?: Record<string, unknown> } {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

/** An object's own fields, as spreading it gives them. */
export function fieldsOf(target: object): Record<string, unknown> {
  return { ...target };
}
