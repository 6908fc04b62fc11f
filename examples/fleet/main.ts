// A dispatcher and twenty couriers: each courier is an agent with jobs of its own, all of them work at once in one process, and
// the dispatcher's program waits for all of them in one `await`.
import { Agent, Coordinator, Models, Statek, tool } from 'statek';
import { scriptedModel } from 'statek/testing';

const towns = ['Ghent', 'Bruges', 'Leuven', 'Namur', 'Mons'] as const;
const couriers = Array.from({ length: 20 }, (_, index) => `courier-${String(index + 1).padStart(2, '0')}`);
const parcels = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1,
  town: towns[index % 5] ?? '',
  weight: 1 + (index % 7),
}));

let underWay = 0;
let mostAtOnce = 0;
const deliver = tool({
  name: 'deliver',
  description: 'Delivers a parcel.',
  idempotent: true,
  execute: async ({ town, weight }: { town: string; weight: number }) => {
    mostAtOnce = Math.max(mostAtOnce, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 5));
    underWay--;
    if (town === 'Mons' && weight === 7) throw new RangeError('too heavy for the stairs');
    return { town, fee: 3 + weight };
  },
});

const dispatcher = new Coordinator({
  role: 'dispatcher',
  systemPrompt: 'You give out parcels.',
  metadata: { MODEL: 'dispatcher' },
});
const fleet = couriers.map(
  (role) =>
    new Agent({
      role,
      description: 'A courier',
      systemPrompt: 'You deliver one parcel.',
      metadata: { MODEL: 'courier' },
      tools: [deliver],
    }),
);
const models = new Models({
  models: {
    dispatcher: scriptedModel([
      `\`\`\`ts
const fleet = findAgents('courier').map(({ role }) => role);
const outcomes = await Promise.all(
  parcels.map((parcel, index) =>
    delegate(fleet[index % fleet.length], { vars: { parcel }, message: 'Deliver your parcel.' })
      .then((done) => ({ ...done, ok: true }), () => ({ town: parcel.town, fee: 0, ok: false }))),
);
const summary = {};
for (const { town, fee, ok } of outcomes) {
  summary[town] ??= { delivered: 0, failed: 0, fees: 0 };
  summary[town][ok ? 'delivered' : 'failed'] += 1;
  summary[town].fees += fee;
}
exit(summary);
\`\`\``,
    ]),
    // All couriers have the same script; each job begins it anew.
    courier: scriptedModel(
      [
        '```ts\nlet done;\ntry { done = await deliver(parcel); } catch (error) { fail(error.message); }\nexit(done);\n```',
      ],
      { by: 'turn' },
    ),
  },
});

// Parcels that cannot be delivered are part of the story, so nobody has to be warned of them.
const settings = { logLevel: 'error' } as const;
const kit = await Statek.open({ store: 'memory:', agents: [dispatcher, ...fleet], models, settings });
const worker = kit.start({ concurrency: 100 });
const job = await kit.submit(dispatcher, { id: 'monday', message: 'Give out the parcels.', vars: { parcels } });
const summary = (await job.result()) as Record<string, unknown>;
console.table(summary);

const jobs = await kit.jobs({ parent: 'monday', limit: 1000 });
const busy = new Map<string, number>();
for (const { role } of jobs) busy.set(role, (busy.get(role) ?? 0) + 1);
console.log(
  jobs.length,
  'jobs of',
  busy.size,
  'couriers,',
  new Set(busy.values()).size === 1 ? 'the same number each' : 'unequal',
);
console.log(
  'failed:',
  await kit.countJobs({ outcome: 'failed' }),
  '- more than ten deliveries at once:',
  mostAtOnce > 10,
);
await worker.stop();
await kit.close();
