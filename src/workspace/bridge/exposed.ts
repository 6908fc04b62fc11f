// What a handle offers, as data.

export interface ExposedField {
  readonly name: string;
  readonly writable: boolean;
}

export interface Exposure {
  readonly form: 'object' | 'function' | 'array' | 'map' | 'set' | 'record' | 'class';
  /** The name of the class or function, for people. */
  readonly name: string;
  readonly fields: readonly ExposedField[];
  readonly methods: readonly string[];
  /** A collection that guest code may look at but not change. */
  readonly readonly?: true;
  /** Names of the durable classes it is an instance of. */
  readonly is?: readonly string[];
  /** It is iterated page by page. */
  readonly iterable?: true;
}
