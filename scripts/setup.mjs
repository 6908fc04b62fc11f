// Makes `npm start`, `npm test` and the other scripts work on a fresh clone: installs the locked dependencies and the
// repository's own Node. Plain JavaScript without dependencies, because it must run on Node 20 before anything is
// installed. Writes only to stderr, so that the output of the command after it can be piped.

import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const marker = join(modules, '.statek-setup.json');
const lock = join(root, '.setup-lock');
const windows = process.platform === 'win32';
const quiet = process.argv.includes('--quiet');
const force = process.argv.includes('--force');

class SetupError extends Error {}

const oldestMachineNode = [20, 0];
const oldestUsableNode = [22, 18];

const lockFileText = readFileSync(join(root, 'package-lock.json'), 'utf8');
const lockFileHash = createHash('sha256').update(lockFileText).digest('hex');

try {
  await main();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(`\nSet-up failed: ${error.message}`);
  process.exitCode = 1;
}

async function main() {
  if (!atLeast(process.version, oldestMachineNode)) {
    throw new SetupError(
      `this is Node ${process.version}; the set-up needs Node 20 or newer. Install it from your system's packages or nodejs.org.`,
    );
  }
  if (force) rmSync(marker, { force: true });
  if (isReady()) return;
  await holdLock(async () => {
    if (isReady()) return; // another run has finished while this one waited
    rmSync(marker, { force: true });
    if (!installMatchesLockFile()) await installPackages();
    const node = await installNode();
    writeFileSync(marker, JSON.stringify({ lockFileHash, node }));
  });
  isReady(); // reports a Node that is not the repository's own
}

/** True when nothing is left to do. This is the path every later run takes, so it reads two files and starts no process if it can. */
function isReady() {
  let written;
  try {
    written = JSON.parse(readFileSync(marker, 'utf8'));
  } catch {
    return false;
  }
  if (written.lockFileHash !== lockFileHash) return false;
  if (written.node === 'own') return isOwnNode();
  if (!atLeast(process.version, oldestUsableNode)) return false;
  if (!quiet)
    say(
      `Running on this machine's Node ${process.version}: Node ${wantedNodeVersion()} could not be installed. Try again with: node scripts/setup.mjs --force`,
    );
  return true;
}

/** A manual `npm install` leaves no marker but is just as good: npm keeps a copy of the lock file in node_modules. */
function installMatchesLockFile() {
  if (force) return false;
  let installed;
  try {
    installed = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages;
  } catch {
    return false;
  }
  const wanted = JSON.parse(lockFileText).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = installed[path];
    if (found === undefined ? !entry.optional : found.version !== entry.version || found.integrity !== entry.integrity)
      return false;
    if (found !== undefined && !existsSync(join(root, path, 'package.json'))) return false;
  }
  return Object.keys(installed).every((path) => path in wanted);
}

/** Install scripts of dependencies are skipped; the only one needed is that of `node`, which installNode() runs. */
async function installPackages() {
  say(
    existsSync(modules)
      ? 'Set-up: dependencies have changed, installing them …'
      : 'Set-up: installing dependencies (once; about half a minute) …',
  );
  const flags = [
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-engine-strict',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { code, output } = await runNpm(['ci', ...flags], root);
  if (code !== 0) {
    throw new SetupError(`"npm ci" ended with ${code}. Check that the npm registry is reachable.\n${output}`);
  }
}

/** Returns the Node for the scripts: the repository's own, or the system's if that is new enough. */
async function installNode() {
  if (isOwnNode() || (await linkNode())) return 'own';
  say(`Set-up: installing Node ${wantedNodeVersion()} for this repository alone …`);
  const node = process.env.npm_node_execpath ?? process.execPath;
  const { output } = await run(node, ['installArchSpecificPackage.js'], join(modules, 'node'));
  if (await linkNode()) return 'own';
  if (atLeast(machineNodeVersion(), oldestUsableNode)) return 'machine';
  const oldest = oldestUsableNode.join('.');
  throw new SetupError(
    `Node ${wantedNodeVersion()} could not be installed into node_modules, and this machine's Node ${machineNodeVersion()} ` +
      `is older than ${oldest}. Make the npm registry reachable and run the command again, or install Node ${oldest} or newer.\n${output}`,
  );
}

/** npm links a program only if it is there at install time, and ours arrives after that. */
async function linkNode() {
  if (windows) await runNpm(['rebuild', 'node', '--ignore-scripts', '--loglevel=error'], root);
  else {
    const link = join(modules, '.bin', 'node');
    rmSync(link, { force: true });
    mkdirSync(join(modules, '.bin'), { recursive: true });
    symlinkSync('../node/bin/node', link);
    if (!isOwnNode()) rmSync(link, { force: true }); // a dangling link would hide the system's Node
  }
  return isOwnNode();
}

function wantedNodeVersion() {
  return JSON.parse(lockFileText).packages['node_modules/node'].version;
}

function isOwnNode() {
  const path = join(modules, '.bin', windows ? 'node.cmd' : 'node');
  if (!existsSync(path)) return false;
  const wanted = `v${wantedNodeVersion()}`;
  if (!windows && realpathSync(path) === realpathSync(process.execPath)) return process.version === wanted;
  return spawnSync(path, ['--version'], { encoding: 'utf8', shell: windows }).stdout?.trim() === wanted;
}

/** The Node outside node_modules, even when this file itself runs on the one inside. */
function machineNodeVersion() {
  const found = spawnSync('node', ['--version'], { encoding: 'utf8', shell: windows, env: machineEnvironment() });
  return found.stdout?.trim() || process.version;
}

/** The environment without the additions of an outer `npm run`: node_modules/.bin folders and log level. */
function machineEnvironment() {
  const environment = { ...process.env };
  for (const name of Object.keys(environment)) {
    if (/^npm_config_(loglevel|json|silent|quiet)$/i.test(name)) delete environment[name];
  }
  const pathName = Object.keys(environment).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const folders = (environment[pathName] ?? '').split(delimiter);
  environment[pathName] = folders.filter((folder) => !folder.startsWith(modules)).join(delimiter);
  return environment;
}

function runNpm(args, folder) {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  return npm?.endsWith('.js') && node && existsSync(node) && !node.startsWith(modules)
    ? run(node, [npm, ...args], folder)
    : run('npm', args, folder);
}

/** On a terminal the command draws its own progress on stderr; elsewhere its words are kept for the error message. */
function run(command, args, folder) {
  const terminal = process.stderr.isTTY === true && !quiet;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: folder,
      env: machineEnvironment(),
      shell: windows && command === 'npm',
      stdio: ['ignore', 'pipe', terminal ? 'inherit' : 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data));
    child.on('error', (error) => reject(new SetupError(`"${command}" could not be started: ${error.message}`)));
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** One set-up at a time: a file with the process id, created by link() so that it is never seen without its content. */
async function holdLock(work) {
  const content = `${process.pid} ${randomUUID()}`;
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, content);
  try {
    for (let waiting = false; !tryLock(own); waiting = true) {
      if (!waiting) say('Set-up: another one is running in this folder; waiting for it …');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } finally {
    rmSync(own, { force: true });
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock(own) {
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  let holder;
  try {
    holder = readFileSync(lock, 'utf8');
  } catch {
    return false; // just released
  }
  if (isAlive(Number.parseInt(holder, 10))) return false;
  // Stale: left by a killed run. Move it away and check what was moved, because another waiter may have replaced it.
  const stale = `${own}.stale`;
  try {
    renameSync(lock, stale);
    if (readFileSync(stale, 'utf8') !== holder) linkSync(stale, lock);
  } catch {
    return false;
  } finally {
    rmSync(stale, { force: true });
  }
  return tryLock(own);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function atLeast(version, [major, minor]) {
  const [actualMajor, actualMinor] = version.replace(/^v/, '').split('.').map(Number);
  return actualMajor > major || (actualMajor === major && actualMinor >= minor);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
