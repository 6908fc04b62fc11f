// The process that works on the jobs. It is told whether the mail server is to keep it waiting, and then it is killed.
import { openWorld } from './world.ts';
import type { Language } from './script.ts';

const [folder = '', language = '', model = '', slowMail = ''] = process.argv.slice(2);
const { kit } = await openWorld({
  folder,
  language: language as Language,
  model: model === '' ? undefined : model,
  onMail: async () => {
    if (slowMail === '') return;
    process.send?.('mail');
    await new Promise<never>(() => undefined);
  },
});
const worker = kit.start();
process.once('message', () => {
  void worker
    .stop()
    .then(() => kit.close())
    .then(() => process.disconnect());
});
// Nobody would end it if the process that started it were gone.
process.once('disconnect', () => process.exit());
process.send?.('ready');
