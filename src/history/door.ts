// The door of this layer: what the layers below it in docs/architecture.md may use of histories. Everything else is its own.
export { canonicalJson } from './canonical-json.ts';
export { chainCollections, chainRows } from './chain-rows.ts';
export { storedBytesOf } from './chain-size.ts';
export { chains } from './collections.ts';
export {
  HistoryArgumentError,
  HistoryChainExistsError,
  HistoryUnknownChainError,
  HistoryUnknownCommitError,
} from './errors.ts';
export type {
  BootImage,
  Commit,
  Head,
  History,
  ImagePages,
  Json,
  PreparedChange,
  PreparedFork,
  RetentionPolicy,
} from './history.ts';
export { bootImage } from './images/image.ts';
export { openHistory } from './open.ts';
export { Damages } from './past-damage.ts';
export { unlessRemoved } from './unless-removed.ts';
export { checkPolicy, defaultRetention } from './retention/retention.ts';
