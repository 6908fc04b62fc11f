// One process of the cluster. It works until it is told to stop, or killed.
import { Statek } from 'statek';
import { courierWith, type CourierLanguage } from './courier.ts';
import { openPlace, type Place } from './place.ts';

const [place = '', book = '', language = 'typescript'] = process.argv.slice(2);
const { courier, models } = courierWith(book, language as CourierLanguage);
const store = await openPlace(JSON.parse(place) as Place);
// That processes die is the story here, so nobody has to be warned of it.
const kit = await Statek.open({ store, agents: [courier], models, settings: { logLevel: 'error' } });
// A job fails when four processes in a row died over it before it committed anything (see the README). On a slow machine, with a kill
// every second, that may be chance.
const worker = kit.start({ concurrency: 50, maxCrashes: 1000 });
const report = setInterval(() => process.send?.({ jobs: worker.activeJobs }), 200);
process.send?.({ jobs: 0 });

process.once('message', () => {
  clearInterval(report);
  void worker
    .stop()
    .then(() => kit.close())
    .then(() => store.close())
    .then(() => process.disconnect());
});
// Ctrl-C reaches all processes of a terminal; this one is told to stop by the first.
process.on('SIGINT', () => undefined);
// Nobody would end it if the process that started it were gone.
process.once('disconnect', () => process.exit());
