// Uses the installed package from TypeScript: type checked with a user's settings, then run.
import * as statek from 'statek';
import * as postgres from 'statek/postgres';
import * as testing from 'statek/testing';

const modules: Record<string, object> = { statek, postgres, testing };
console.log(`TypeScript: ${Object.keys(modules).length} entry points work`);
