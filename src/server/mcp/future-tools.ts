// What a client can do about things that programs wait for.
import { z } from 'zod';
import { findSubject } from '../../workspace/futures/future-subject.ts';
import { pendingKinds } from '../../jobs/future-kinds.ts';
import { kitTool, limitOf, type KitTool } from './kit-tool.ts';
import { futureShape } from './shapes.ts';
import { jsonOf } from './values.ts';

const future = z.string().min(1).max(300).describe('the id of a future, as list_waiting has it');
const by = z.string().max(200).optional().describe('who decided');

export const futureTools: readonly KitTool[] = [
  kitTool(
    'list_waiting',
    'read',
    'What jobs wait for: questions, consent, signals, timers, calls; with the arguments of calls and the details of questions.',
    { kind: z.enum(pendingKinds).optional(), agent: z.string().optional(), limit: limitOf(1000, 100) },
    async ({ kind, agent, limit }, { kit }) => {
      const waiting: unknown[] = [];
      for await (const found of kit.pending({ kind, role: agent }))
        if (waiting.push(futureShape(found)) >= limit) break;
      return { waiting };
    },
  ),
  kitTool(
    'signal',
    'write',
    'Sends a signal: it ends the oldest wait for that name, or the next one.',
    { name: z.string().min(1).max(1000), payload: z.json().optional() },
    async ({ name, payload }, { kit }) => {
      await kit.signal(name, payload);
      return { signalled: name };
    },
  ),
  kitTool(
    'answer',
    'decide',
    'Answers a question that a program asked of a person.',
    { future, value: z.json() },
    async ({ future: id, value }, { kit }) => {
      const subject = await findSubject(kit.store, id);
      await kit.answer(id, value);
      return { answered: id, ...(jsonOf(subject) as object) };
    },
  ),
  kitTool(
    'approve',
    'decide',
    'Agrees to what a program asked consent for, or to a call that needs it. Read its arguments or details in list_waiting first.',
    { future, by, comment: z.string().max(2000).optional() },
    async ({ future: id, ...options }, { kit }) => {
      const subject = await findSubject(kit.store, id);
      await kit.approve(id, options);
      return { approved: id, ...(jsonOf(subject) as object) };
    },
  ),
  kitTool(
    'deny',
    'decide',
    'The opposite of approve.',
    { future, by, why: z.string().max(2000).optional() },
    async ({ future: id, by: who, why }, { kit }) => {
      const subject = await findSubject(kit.store, id);
      await kit.deny(id, why, { by: who });
      return { denied: id, ...(jsonOf(subject) as object) };
    },
  ),
];
