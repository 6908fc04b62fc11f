// Uses the installed package from CommonJS: `require` loads every entry point.
const { Statek, InvalidOptionError } = require('statek');
const { scriptedModel } = require('statek/testing');
const { recordCollection } = require('statek/store');
const { parseModelChoice } = require('statek/models');
const { openPostgres } = require('statek/postgres');
const { openRedis } = require('statek/redis');
const { mcpServer } = require('statek/mcp');

for (const one of [scriptedModel, recordCollection, parseModelChoice, openPostgres, openRedis, mcpServer])
  if (typeof one !== 'function') throw new Error('An entry point is empty.');

async function main() {
  const kit = await Statek.open({ store: 'memory:' });
  const step = await (await kit.workspace('main')).run('6 * 7');
  if (step.value !== 42) throw new Error(JSON.stringify(step));
  await kit.close();
  const refused = await Statek.open().catch((error) => error);
  if (!(refused instanceof InvalidOptionError)) throw refused;
  console.log('CommonJS: works');
}

main();
