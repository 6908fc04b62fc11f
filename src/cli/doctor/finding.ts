// What the doctor says about one thing.

export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
  readonly advice?: string | undefined;
}
