// The recipes in deploy/: the commands they run exist and do what they are for, and the dashboard asks for figures there are.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readSettings } from '../../src/agents/settings/settings.ts';
import { commands } from '../../src/cli/line/commands.ts';
import { Statek } from '../../src/index.ts';
import { server } from '../../src/server.ts';

const root = new URL('../../', import.meta.url).pathname;
const recipe = (name: string): string => readFileSync(join(root, 'deploy', name), 'utf8');
/** A list as YAML and container files write it. */
const wordsIn = (list: string): string[] => JSON.parse(list.replaceAll("'", '"')) as string[];

/** The words after `statek` in all recipes. */
function commandLines(): string[][] {
  const lists = ['compose.yaml', 'kubernetes.yaml', 'Containerfile'].flatMap((name) =>
    [...recipe(name).matchAll(/(?:command:|args:|CMD) (\[["'](?:serve|worker)["'].*?\])/g)].map(([, list = '[]']) =>
      wordsIn(list),
    ),
  );
  const unit = /^ExecStart=\S+\/statek (.*)$/m.exec(recipe('statek.service'))?.[1] ?? '';
  return [...lists, unit.split(' ')];
}

it('run commands that exist, with options they have', () => {
  const lines = commandLines();
  expect(lines).toHaveLength(6);
  for (const [name, ...words] of lines) {
    const command = commands.find((one) => one.name === name);
    const flags = (command?.options ?? []).flatMap(({ flags: text }) => text.match(/--[\w-]+/g) ?? []);
    expect(flags).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith('--'))));
  }
  expect(readdirSync(join(root, 'deploy')).filter((name) => !recipe('README.md').includes(name))).toEqual([
    'README.md',
  ]);
});

it('set variables that there are, and what depends on names and folders', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const names = readdirSync(join(root, 'deploy')).flatMap((name) => recipe(name).match(/\bSTATEK_[A-Z_]+/g) ?? []);
  expect(names).toEqual(expect.arrayContaining(['STATEK_SERVER_HOSTS', 'STATEK_SERVER_TOKEN', 'STATEK_STORE']));
  readSettings({}, { env: Object.fromEntries(names.map((name) => [name, 'x'])) });
  expect(warn).not.toHaveBeenCalled();
  const [, service = ''] = /kind: Service\nmetadata: \{ name: (\w+) \}/.exec(recipe('kubernetes.yaml')) ?? [];
  const [, hosts = ''] = /STATEK_SERVER_HOSTS\n\s+value: (\S+)/.exec(recipe('kubernetes.yaml')) ?? [];
  expect(hosts.split(',')).toContain(service);
  expect(recipe('compose.yaml')).toMatch(/^ {2}server:$[\s\S]*STATEK_SERVER_HOSTS: server,/m);
  // A container that serves nothing would never be healthy.
  expect(recipe('compose.yaml')).toMatch(/^ {2}worker:$[\s\S]*healthcheck: \{ disable: true \}/m);
  expect(recipe('Containerfile.dockerignore').split('\n')).toEqual(
    expect.arrayContaining(['**/.env', '**/node_modules', '/data']),
  );
  const [, folder = ''] = /^StateDirectory=(\w+)$/m.exec(recipe('statek.service')) ?? [];
  expect(recipe('statek.service')).toContain(`STATEK_STORE=/var/lib/${folder}\n`);
});

it('answer probes as they are sent, and end on SIGTERM without an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [, worker] = [...recipe('kubernetes.yaml').matchAll(/args: (\[.*\])/g)];
  const words = wordsIn(worker?.[1] ?? '[]').map((word) => (word === '4320' ? '0' : word));
  const child = spawn(process.execPath, [join(root, 'src/cli/main.ts'), ...words, '--json'], {
    cwd: folder,
    env: { ...process.env, STATEK_SERVER_TOKEN: 'a-token-of-16-letters', STATEK_STORE: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  const { port } = new URL((JSON.parse(text.split('\n')[0] ?? '') as { url: string }).url);
  const probe = (path: string, host: string): Promise<number> =>
    new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path, headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
  const probes = [...recipe('kubernetes.yaml').matchAll(/path: (\S+), port: http, .*value: (\w+)/g)];
  expect(probes).toHaveLength(3);
  for (const [, path = '', host = ''] of probes) expect(await probe(path, host)).toBe(200);
  expect(await probe('/v1/health/live', '10.1.2.3:4320')).toBe(421);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code === 0 || code === 143).toBe(true);
});

it('draw figures that there are', async () => {
  const kit = await Statek.open({ store: 'memory:' });
  onTestFinished(() => kit.close());
  const served = server(kit, { authorize: () => ({ name: 'ann', rights: ['read'] }) });
  const metrics = await (await served.fetch(new Request('http://localhost/v1/metrics'))).text();
  const { panels } = JSON.parse(recipe('grafana-dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const asked = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/(?:statek|process)_\w+/g) ?? []),
  );
  expect(asked.length).toBeGreaterThan(6);
  for (const name of asked) expect(metrics).toContain(`# TYPE ${name} `);
});
