// What the API tells of durable objects.
export type Field =
  | { readonly kind: 'data'; readonly value: unknown }
  | { readonly kind: 'reference'; readonly id: string; readonly type: string; readonly isWeak: boolean }
  | { readonly kind: 'other'; readonly type: string; readonly text: string };

export interface StoredObject {
  readonly id: string;
  readonly type: string;
  readonly version?: number;
  readonly fields: Readonly<Record<string, Field>>;
  readonly tags?: readonly string[];
  readonly revision: number;
}
