// One thing a client can ask of a kit.
import { z } from 'zod';
import type { Statek } from '../../kit/statek.ts';

/** `read` changes nothing; `decide` is what a person decides, and what an agent must not decide about itself. */
export type KitToolKind = 'read' | 'write' | 'decide';

export interface KitCall {
  readonly kit: Statek;
  /** Aborts when the client no longer waits. */
  readonly signal: AbortSignal;
  /** The longest a client may wait, in milliseconds. */
  readonly longestWait: number;
}

export interface KitTool {
  readonly name: string;
  readonly kind: KitToolKind;
  readonly description: string;
  readonly input: z.ZodObject;
  run(input: never, call: KitCall): Promise<unknown>;
}

export function kitTool<Shape extends z.ZodRawShape>(
  name: string,
  kind: KitToolKind,
  description: string,
  shape: Shape,
  run: (input: z.output<z.ZodObject<Shape>>, call: KitCall) => Promise<unknown>,
): KitTool {
  return { name, kind, description, input: z.strictObject(shape), run };
}

export const limitOf = (most: number, usual: number): z.ZodDefault<z.ZodInt> => z.int().min(1).max(most).default(usual);

export const waitSeconds = z
  .number()
  .min(0)
  .max(3600)
  .optional()
  .describe('how long to wait for it; the server may wait less');

/** Looks again and again, until there is something to see or the time is over. */
export async function waitFor(
  { signal, longestWait }: KitCall,
  seconds: number | undefined,
  isThere: () => Promise<boolean>,
): Promise<void> {
  const end = Date.now() + Math.min((seconds ?? 0) * 1000, longestWait);
  for (let pause = 20; !(await isThere()); pause = Math.min(pause * 1.5, 500)) {
    const left = end - Date.now();
    if (left <= 0 || signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, left)));
  }
}
