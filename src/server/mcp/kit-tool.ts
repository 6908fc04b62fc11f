// A tool of the MCP server.
import { z } from 'zod';
import type { Statek } from '../../kit/statek.ts';

/** `read` changes nothing; `decide` is reserved for people, because an agent must not approve its own calls. */
export type KitToolKind = 'read' | 'write' | 'decide';

export interface KitCall {
  readonly kit: Statek;
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal;
  /** Maximum wait of a client in milliseconds. */
  readonly maxWait: number;
  /** Who decides, if that is known; otherwise clients say who it was. */
  readonly decidedBy: string | undefined;
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

export const limitOf = (max: number, defaultValue: number): z.ZodDefault<z.ZodInt> =>
  z.int().min(1).max(max).default(defaultValue);

export const waitSeconds = z
  .number()
  .min(0)
  .max(3600)
  .optional()
  .describe('how long to wait for it; the server may limit this');

/** Polls until there is a result or the time is up. */
export async function waitFor(
  { signal, maxWait }: KitCall,
  seconds: number | undefined,
  isThere: () => Promise<boolean>,
): Promise<void> {
  const end = Date.now() + Math.min((seconds ?? 0) * 1000, maxWait);
  for (let pause = 20; !(await isThere()); pause = Math.min(pause * 1.5, 500)) {
    const left = end - Date.now();
    if (left <= 0 || signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, left)));
  }
}
