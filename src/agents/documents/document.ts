// A document that agents may read.

export interface Document {
  readonly path: string;
  readonly number?: number | undefined;
  readonly topic: string;
  readonly title: string;
  /** The roles it is for; undefined: all. */
  readonly audience?: readonly string[] | undefined;
  readonly text: string;
}
