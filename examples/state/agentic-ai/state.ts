// AgenticAI's snippets for StateManager and its backends, line by line.
import { FileBackend, MemoryBackend, RedisBackend, StateManager, type StateConfig } from 'statek/state';

export async function state(folder: string): Promise<void> {
  // In-memory state (development), file-based state (single instance), Redis state (production).
  const configs: readonly StateConfig[] = [
    { backend: 'memory', autoSave: true, saveInterval: 30 },
    { backend: 'file', filePath: `${folder}/app_state`, autoSave: true },
    { backend: 'redis', redisUrl: 'redis://localhost:6379', keyPrefix: 'agenticai:', ttl: 3600 },
  ];
  // A manager opens its store on first use, so the third one needs no server as long as nobody uses it.
  const [memory, file, redis] = configs.map((config) => new StateManager(config)) as [
    StateManager,
    StateManager,
    StateManager,
  ];
  for (const manager of [memory, file]) await operations(manager);
  for (const manager of [memory, file, redis]) await manager.close();

  // Backends with all their options.
  const backends = [
    MemoryBackend(),
    FileBackend({ basePath: `${folder}/state`, format: 'msgpack', compression: true }),
    RedisBackend({ url: 'redis://localhost:6379', db: 0, keyPrefix: 'agenticai:', connectionPoolSize: 10 }),
  ];
  console.log(backends.map(({ name }) => name).join(', '));
}

async function operations(stateManager: StateManager): Promise<void> {
  const told: string[] = [];
  const isTold = Promise.withResolvers<void>();
  // The callback may be asynchronous; the next change waits for it.
  const onStateChange = async (key: string, oldValue: unknown, newValue: unknown): Promise<void> => {
    told.push(`${key}: ${JSON.stringify(oldValue)} -> ${JSON.stringify(newValue)}`);
    if (newValue === undefined) isTold.resolve();
  };
  stateManager.subscribe('agent:*', onStateChange);

  await stateManager.save('agent:researcher', { status: 'running', current_task: 'analyze_data', progress: 0.45 });
  const agentState = await stateManager.get<{ status: string }>('agent:researcher');
  console.log(`Status: ${agentState?.status}`);
  await stateManager.update('agent:researcher', { progress: 0.75 });
  const { keys } = await stateManager.listKeys('agent:*'); // one page; keys() walks through all of them
  console.log(keys);
  await stateManager.delete('agent:researcher');

  await isTold.promise;
  console.log(told.join('\n'));
  stateManager.unsubscribe('agent:*', onStateChange);
}
