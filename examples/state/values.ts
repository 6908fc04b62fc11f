// Named values: saved, patched, listed, watched and expired. `kit.state` is the same on the store of a kit.
import { StateManager } from 'statek/state';

export async function namedValues(folder: string): Promise<void> {
  const state = new StateManager({ store: folder, keyPrefix: 'example:' });
  const heard: string[] = [];
  const subscription = state.subscribe(
    'agent:*',
    (key, before, after) => void heard.push(`${key}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`),
    { since: await state.revision() },
  );
  const { version } = await state.save('agent:researcher', { status: 'running', progress: 0.45 });
  await state.update('agent:researcher', { progress: 0.75 }); // a patch, applied atomically
  console.log(await state.get('agent:researcher'), (await state.listKeys('agent:*')).keys);

  // Whoever has read the first version may not overwrite the second one.
  await state
    .save('agent:researcher', { status: 'lost' }, { ifVersion: version })
    .catch((error: unknown) => console.log('refused:', (error as Error).name));
  await state.delete('agent:researcher');
  while (heard.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  console.log(heard.join('\n'));
  subscription.unsubscribe();
  await state.close();
}
