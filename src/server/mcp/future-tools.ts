// MCP tools for futures: what programs wait for.
import { z } from 'zod';
import { findSubject } from '../../workspace/door.ts';
import { pendingKinds } from '../../jobs/door.ts';
import { kitTool, limitOf, type KitTool } from './kit-tool.ts';
import { futureShape } from '../json/shapes.ts';
import { jsonOf } from '../json/values.ts';

const future = z.string().min(1).max(300).describe('the id of a future, from list_waiting');
const by = z.string().max(200).optional().describe('who decided or answered');

export const futureTools: readonly KitTool[] = [
  kitTool(
    'list_waiting',
    'read',
    'Lists what jobs wait for: questions, approvals, signals, timers, calls; with the arguments of calls and the details of questions.',
    {
      kind: z.enum(pendingKinds).optional(),
      agent: z.string().optional(),
      people: z.boolean().optional().describe('only what a person can decide or answer'),
      limit: limitOf(1000, 100),
    },
    async ({ kind, agent, people, limit }, { kit }) => {
      const waiting: unknown[] = [];
      for await (const found of kit.pending({ kind, role: agent, people }))
        if (waiting.push(futureShape(found)) >= limit) break;
      return { waiting };
    },
  ),
  kitTool(
    'signal',
    'write',
    'Sends a signal. It ends the oldest wait for its name, or the next one if there is none.',
    { name: z.string().min(1).max(1000), payload: z.json().optional() },
    async ({ name, payload }, { kit }) => {
      await kit.signal(name, payload);
      return { signalled: name };
    },
  ),
  kitTool(
    'answer',
    'decide',
    'Answers a question that a program asked a person.',
    { future, value: z.json(), by },
    async ({ future: id, value, by: who }, { kit, decidedBy }) => {
      const subject = await findSubject(kit.store, id);
      await kit.answer(id, value, { by: decidedBy ?? who });
      return { answered: id, ...(jsonOf(subject) as object) };
    },
  ),
  kitTool(
    'approve',
    'decide',
    'Approves a request of a program, or a call that needs approval. Read its arguments or details in list_waiting first.',
    { future, by, comment: z.string().max(2000).optional() },
    async ({ future: id, by: who, comment }, { kit, decidedBy }) => {
      const subject = await findSubject(kit.store, id);
      await kit.approve(id, { by: decidedBy ?? who, comment });
      return { approved: id, ...(jsonOf(subject) as object) };
    },
  ),
  kitTool(
    'deny',
    'decide',
    'Denies what approve would allow.',
    { future, by, why: z.string().max(2000).optional() },
    async ({ future: id, by: who, why }, { kit, decidedBy }) => {
      const subject = await findSubject(kit.store, id);
      await kit.deny(id, why, { by: decidedBy ?? who });
      return { denied: id, ...(jsonOf(subject) as object) };
    },
  ),
];
