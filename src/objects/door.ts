// The door of this layer: what the layers below it in docs/architecture.md may use of durable objects. Everything else is its own.
export { ObjectBrowser, type ShownObject } from './browsing/object-browser.ts';
export { taggedObjects } from './browsing/tagged.ts';
export { collectObjects, type CollectReport } from './collecting/collect.ts';
export { objectRows } from './collecting/object-rows.ts';
export {
  declarationOf,
  durableBases,
  firstValuesOf,
  isDurableClass,
  ownOptions,
  type AnyClass,
  type DurableClass,
  type DurableOptions,
} from './declaration.ts';
export { Durable } from './durable.ts';
export { EnumMember, findEnumMember, memberNames } from './enumeration.ts';
export { ObjectConflictError, ObjectGoneError } from './errors.ts';
export { idOf, newIndex, remove, Space } from './graph.ts';
export { readClassSource } from './instances/class-source.ts';
export { idText, nodeOf, placeOf } from './node.ts';
export type { Node, ObjectGraph } from './object-graph.ts';
export { Objects } from './objects.ts';
export { ObjectIndex } from './queries/object-index.ts';
export { Query, queryOf, type QueryDefinition, type Tag } from './queries/query.ts';
export { nodeRows, objectCollections, typeOf } from './rows.ts';
export { CallScope } from './transactions/call-scope.ts';
export { commonest, type Contention } from './transactions/contention.ts';
export { KeyLocks } from './transactions/key-locks.ts';
export { load } from './transactions/load.ts';
export { RowTransaction } from './transactions/row-transaction.ts';
export { givenUp, maxTries, pause, runOnce, transact, transactAt, type Synchronous } from './transactions/transact.ts';
