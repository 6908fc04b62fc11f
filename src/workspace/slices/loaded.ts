// A workspace as it is in memory: its row, its image, and the objects its handles stand for.
import { randomBytes } from 'node:crypto';
import { bootImage, type BootImage, type Head } from '../../history/door.ts';
import type { Revision, TransactionPart } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { HandleTable } from '../bridge/handle-table.ts';
import type { Boot, Language, StoredImage } from '../language.ts';
import { metadataOf, workspaceRows, type WorkspaceRow } from '../rows.ts';

export interface Loaded {
  readonly row: WorkspaceRow;
  /** Of its row in the store; undefined as long as it is not there. */
  readonly revision: Revision | undefined;
  readonly head: Head;
  readonly image: StoredImage;
  readonly handles: HandleTable;
  /** What has happened to it in this process and is committed with its next slice, and the hashes of those commits. */
  readonly pending?: { readonly part: TransactionPart; readonly commits: readonly string[] };
}

export async function loadWorkspace(
  context: WorkspaceContext,
  id: string,
  variables: ReadonlyMap<string, object>,
): Promise<Loaded | undefined> {
  const [entry] = await context.store.read(workspaceRows, [[id]]);
  if (entry === undefined) return undefined;
  const [language, { head, image }] = await Promise.all([
    context.languages.prepared(entry.value.language, 'stored programs'),
    context.history.open(id),
  ]);
  return {
    row: entry.value,
    revision: entry.revision,
    head,
    image: language.imageFrom(image.pages),
    handles: handlesOf(context, entry.value, variables),
  };
}

export function handlesOf(
  { services, kept, objects }: WorkspaceContext,
  { secret }: WorkspaceRow,
  variables: ReadonlyMap<string, object>,
): HandleTable {
  return new HandleTable(Buffer.from(secret, 'base64'), { services, variables, kept, graph: objects });
}

const named = new WeakMap<Boot, BootImage>();

/** The image new programs start from, named, which takes a look at every byte of it; done once. */
export function bootOf(language: Language): BootImage {
  const boot = language.boot();
  let image = named.get(boot);
  if (image === undefined) {
    const { bytes, image: stored } = boot;
    named.set(boot, (image = bootImage({ bytes, header: stored.headerBytes })));
  }
  return image;
}

/** A fork draws other random numbers than the program it came from. */
export function seedOfFork({ head }: Loaded): bigint | undefined {
  const { kind } = metadataOf(head.commit);
  return kind === 'forked' ? randomBytes(8).readBigUInt64LE() : undefined;
}
