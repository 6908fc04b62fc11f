// `npm run test:container`: builds the image of deploy/Containerfile around a new project, and runs it as the recipe says.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pack } from '../../scripts/support/pack.ts';
import { CommandError, main, mustRun, run } from '../../scripts/support/run.ts';
import { root } from '../../scripts/support/source.ts';

const base = 'node:24-slim';
const token = 'a-token-of-16-letters';
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

await main(async () => {
  const { values } = parseArgs({ options: { program: { type: 'string' } } });
  const program = values.program ?? (await firstOf('docker', 'podman'));
  if (program === undefined) return skip('neither docker nor podman is here');
  const here = await run(program, ['image', 'inspect', base]);
  if (here.code !== 0 && (await run(program, ['pull', base])).code !== 0)
    return skip(`${program} has no image ${base} and cannot pull it`);
  const temporary = mkdtempSync(join(tmpdir(), 'statek-container-'));
  const name = `statek-test-${randomBytes(4).toString('hex')}`;
  try {
    const project = await makeProject(temporary);
    step(`Building the image with ${program}`);
    // The format that has health checks.
    const format = (await mustRun(program, ['--version'])).includes('podman') ? ['--format', 'docker'] : [];
    await mustRun(program, ['build', ...format, '-f', 'deploy/Containerfile', '-t', name, '.'], { folder: project });
    await checkFiles(program, name);
    await checkContainer(program, name);
    step('Not tried: compose.yaml, kubernetes.yaml and statek.service');
    console.log('The image builds, serves, works on jobs as a user without rights, stops in time and keeps its data.');
  } finally {
    await run(program, ['rm', '-f', name]);
    await run(program, ['volume', 'rm', '-f', name]);
    await run(program, ['rmi', '-f', name]);
    rmSync(temporary, { recursive: true, force: true });
  }
});

function skip(reason: string): void {
  console.log(`SKIPPED everything: ${reason}.`);
}

function step(text: string): void {
  console.log(`${text}.`);
}

async function firstOf(...programs: string[]): Promise<string | undefined> {
  for (const program of programs) {
    // Docker without its service has a version, too.
    const finished = await run(program, ['info']).catch(() => undefined);
    if (finished?.code === 0) return program;
  }
  return undefined;
}

/** As a user makes it, with the packed package, and with files beside it that must not get into the image. */
async function makeProject(temporary: string): Promise<string> {
  step('Packing the package and making a project');
  const tarball = await pack(temporary);
  const project = join(temporary, 'app');
  await mustRun(process.execPath, [join(root, 'src/cli/main.ts'), 'init', project, '--yes']);
  cpSync(tarball, join(project, basename(tarball)));
  cpSync(join(root, 'deploy'), join(project, 'deploy'), { recursive: true });
  await mustRun('npm', ['pkg', 'set', `dependencies.statek=file:${basename(tarball)}`], { folder: project });
  await mustRun('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { folder: project });
  for (const folder of ['data', 'node_modules/of-this-machine']) mkdirSync(join(project, folder), { recursive: true });
  for (const file of ['.env', 'data/secret', 'node_modules/of-this-machine/package.json'])
    writeFileSync(join(project, file), '{}');
  return project;
}

async function checkFiles(program: string, image: string): Promise<void> {
  const script = 'ls -A . data node_modules';
  const listed = await mustRun(program, ['run', '--rm', '--entrypoint', 'sh', image, '-c', script]);
  const files = listed.split('\n');
  expect('the application is in the image', files.includes('statek.config.ts') && files.includes('statek'));
  for (const file of ['.env', 'secret', 'of-this-machine', 'deploy'])
    expect(`${file} is not in the image`, !files.includes(file));
}

async function checkContainer(program: string, name: string): Promise<void> {
  step('Running it');
  const safe = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
  const environment = ['-e', `STATEK_SERVER_TOKEN=${token}`];
  const places = ['-v', `${name}:/app/data`, '-p', '127.0.0.1::4320'];
  await mustRun(program, ['run', '-d', '--name', name, ...safe, ...environment, ...places, name]);
  let url = await urlOf(program, name);
  await ready(program, name, url);
  for (const probe of ['live', 'ready'])
    expect(`/v1/health/${probe} answers`, (await fetch(`${url}health/${probe}`)).ok);
  const recipe = readFileSync(join(root, 'deploy/Containerfile'), 'utf8');
  const healthCheck = JSON.parse(/HEALTHCHECK[^[]*(\[.*\])/.exec(recipe)?.[1] ?? '[]') as string[];
  expect('the health check is well', (await run(program, ['exec', name, ...healthCheck])).code === 0);
  expect('it is not root', (await mustRun(program, ['exec', name, 'id', '-u'])).trim() === '1000');
  expect('/app cannot be written to', (await run(program, ['exec', name, 'touch', '/app/x'])).code !== 0);
  const body = JSON.stringify({ role: 'assistant', message: 'Book the planning on Thursday' });
  const submitted = await fetch(`${url}jobs/first`, { method: 'PUT', headers, body });
  expect('a job is accepted', submitted.ok);
  await checkResult(url);
  const started = performance.now();
  await mustRun(program, ['stop', '-t', '60', name]);
  const seconds = (performance.now() - started) / 1000;
  const code = await mustRun(program, ['inspect', '--format', '{{.State.ExitCode}}', name]);
  expect(`SIGTERM ends it, with ${code.trim()} after ${seconds.toFixed(1)} s`, Number(code) === 0 && seconds < 30);
  await mustRun(program, ['start', name]);
  url = await urlOf(program, name);
  await ready(program, name, url);
  await checkResult(url);
}

async function checkResult(url: string): Promise<void> {
  const answer = await fetch(`${url}jobs/first/result?wait=30`, { headers });
  const { result } = (await answer.json()) as { result?: unknown };
  expect(`its result is '${String(result)}'`, result === 'Planning is on Thursday');
}

async function urlOf(program: string, name: string): Promise<string> {
  const [address = ''] = (await mustRun(program, ['port', name, '4320'])).trim().split('\n');
  return `http://${address}/v1/`;
}

async function ready(program: string, name: string, url: string): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    const answer = await fetch(`${url}health/ready`).catch(() => undefined);
    if (answer?.ok === true) return;
    await setTimeout(500);
  }
  throw new CommandError(`The server was not ready within a minute:\n${await mustRun(program, ['logs', name])}`);
}

function expect(what: string, isSo: boolean): void {
  if (!isSo) throw new CommandError(`FAILED: ${what}.`);
  step(`  ${what}`);
}
