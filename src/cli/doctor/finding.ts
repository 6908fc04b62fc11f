// The result of one check of statek doctor.

export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
  readonly advice?: string | undefined;
}
