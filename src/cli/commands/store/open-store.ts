// Opens the store of a command that moves or checks it as a whole: without a kit, which would write to it.
import { openSource } from '../../../store/around/store-source.ts';
import { StoreNotEmptyError } from '../../../store/errors.ts';
import type { Store } from '../../../store/store.ts';
import { NotFoundError } from '../../../workspace/errors.ts';
import { isPath, mustHaveStore, shownLocation, storeExists } from '../../application/application.ts';
import type { Session } from '../../session.ts';
import { resolve } from 'node:path';

/** The configured store. With `read`, a missing one is an error; with `fill`, it is made. */
export async function useStore<Result>(
  session: Session,
  purpose: 'read' | 'fill',
  use: (store: Store, name: string) => Promise<Result>,
): Promise<Result> {
  const { location } = mustHaveStore(await session.application());
  return useLocation(session, location, purpose, use);
}

export async function useLocation<Result>(
  session: Session,
  given: string | Store,
  purpose: 'read' | 'fill',
  use: (store: Store, name: string) => Promise<Result>,
): Promise<Result> {
  const location = typeof given === 'string' && isPath(given) ? resolve(session.folder, given) : given;
  const name = shownLocation(location);
  if (purpose === 'read' && typeof location === 'string' && storeExists(location) === false)
    throw new NotFoundError(`No store found at ${name}. Check the path.`, { location: name });
  const { store } = await openSource(location);
  try {
    return await use(store, name);
  } catch (error) {
    // With two stores in one command, the error must say which one it is about.
    if (purpose === 'fill' && error instanceof StoreNotEmptyError)
      throw new StoreNotEmptyError(error.message.replace('The store is', `The store ${name} is`), error.details, error);
    throw error;
  } finally {
    session.out.endProgress();
    await store.close();
  }
}
