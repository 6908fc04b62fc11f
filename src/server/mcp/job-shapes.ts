// Jobs as MCP clients see them: their role is the agent that the tools of this server are called with.
import type { Job } from '../../agents/door.ts';
import * as shapes from '../json/shapes.ts';

type Shape = Readonly<Record<string, unknown>>;

export function jobShape(job: Job): Shape {
  return withAgent(shapes.jobShape(job));
}

export async function jobWithWaits(job: Job): Promise<Shape> {
  return withAgent(await shapes.jobWithWaits(job));
}

function withAgent({ role, ...rest }: Shape): Shape {
  return { agent: role, ...rest };
}
