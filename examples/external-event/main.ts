// Something happens outside, and a program that has waited for it goes on: `signal(name)` in the agent's code, `kit.signal(name, payload)` in
// whichever process hears of the event. The same story in both languages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Statek } from 'statek';
import { scriptedModel } from 'statek/testing';
import { code, exampleModels } from '../models.ts';

const prompt = `You follow a parcel. signal('parcel-' + parcel) waits for the next event of it, for as long as it takes, and returns it:
{ where, delivered }. Collect the places in the variable 'route', and end with exit(route) once it is delivered.`;
const followers = (['typescript', 'python'] as const).map(
  (language) => new Agent({ role: language, language, systemPrompt: prompt, metadata: { MODEL: language } }),
);
// `by: 'turn'`: the script finds its place from the conversation, so that it goes on in another process.
const models = exampleModels({
  typescript: scriptedModel(
    [
      code(
        'ts',
        'const route = [];',
        'let event;',
        'do {',
        "  event = await signal('parcel-' + parcel);",
        '  route.push(event.where);',
        '} while (!event.delivered);',
        'exit(route);',
      ),
    ],
    { by: 'turn' },
  ),
  python: scriptedModel(
    [
      code(
        'python',
        'route = []',
        'while True:',
        "    event = signal('parcel-' + parcel)",
        '    route.append(event.where)',
        '    if event.delivered:',
        '        exit(route)',
      ),
    ],
    { by: 'turn' },
  ),
});

const folder = mkdtempSync(join(tmpdir(), 'statek-'));
const openWorker = (): Promise<Statek> => Statek.open({ store: folder, agents: followers, models });

/** What a webhook does. Its process knows neither the agents nor their models; nobody has to be waiting yet. */
async function report(parcel: string, where: string, delivered = false): Promise<void> {
  const kit = await Statek.open({ store: folder });
  await kit.signal(`parcel-${parcel}`, { where, delivered });
  await kit.close();
  console.log(`event: parcel ${parcel} is in ${where}`);
}

// An event that comes before anybody waits for it is kept.
await report('A', 'Lyon');

const ids = ['follow-A', 'follow-B'];
let kit = await openWorker();
await kit.submit('typescript', { id: ids[0], vars: { parcel: 'A' }, message: 'Follow it.' });
await kit.submit('python', { id: ids[1], vars: { parcel: 'B' }, message: 'Follow it.' });
await kit.runUntilIdle();
for (const id of ids) {
  const job = await kit.job(id);
  const [{ signal, at } = {}] = await job.waiting();
  const route = String(await job.local('route')) || 'nothing';
  console.log(`${id} waits for ${signal} on line ${at?.line} of its code; so far: ${route}`);
}
await kit.close();

// Days pass, and no process runs. Events are kept, each for the program that waits for it, in order.
await report('B', 'Turin');
await report('A', 'Paris');
await report('B', 'Milan', true);
await report('A', 'Ghent', true);

kit = await openWorker();
for (const id of ids) console.log(`${id}: ${String(await (await kit.job(id)).result()).replaceAll(',', ' → ')}`);
await kit.close();
rmSync(folder, { recursive: true, force: true });
