// A workspace as it is in memory: its row, its image, and the objects its handles stand for.
import { randomBytes } from 'node:crypto';
import type { BootImage, Head } from '../history/history.ts';
import { bootImage } from '../history/image.ts';
import type { Revision } from '../store/store.ts';
import type { KitContext } from './context.ts';
import { NotFoundError } from './errors.ts';
import { HandleTable } from './handle-table.ts';
import type { Language, StoredImage } from './language.ts';
import { workspaceRows, type CommitMetadata, type WorkspaceRow } from './rows.ts';

export interface Loaded {
  readonly row: WorkspaceRow;
  readonly revision: Revision;
  readonly head: Head;
  readonly image: StoredImage;
  readonly handles: HandleTable;
}

export async function loadWorkspace(
  context: KitContext,
  id: string,
  variables: ReadonlyMap<string, object>,
): Promise<Loaded> {
  const [entry] = await context.store.read(workspaceRows, [[id]]);
  if (entry === undefined) throw new NotFoundError(`There is no workspace '${id}'.`, { workspace: id });
  const language = await context.languages.prepared(entry.value.language);
  const { head, image } = await context.history.open(id, { shared: true });
  return {
    row: entry.value,
    revision: entry.revision,
    head,
    image: language.imageFrom(image.bytes, image.header),
    handles: handlesOf(context, entry.value, variables),
  };
}

export function handlesOf(
  { services, kept, objects }: KitContext,
  { secret }: WorkspaceRow,
  variables: ReadonlyMap<string, object>,
): HandleTable {
  return new HandleTable(Buffer.from(secret, 'base64'), { services, variables, kept, graph: objects });
}

const boots = new WeakMap<Language, BootImage>();

/** The image new programs start from, named; made once. */
export function bootOf(language: Language): BootImage {
  let boot = boots.get(language);
  if (boot === undefined) {
    const image = language.bootImage();
    const bytes = new Uint8Array(image.pageCount * 4096);
    for (let index = 0; index < image.pageCount; index++) bytes.set(image.page(index), index * 4096);
    boots.set(language, (boot = bootImage({ bytes, header: image.headerBytes })));
  }
  return boot;
}

/** A fork draws other random numbers than the program it came from. */
export function seedOfFork({ head }: Loaded): bigint | undefined {
  const { kind } = head.commit.metadata as unknown as CommitMetadata;
  return kind === 'forked' ? randomBytes(8).readBigUInt64LE() : undefined;
}
