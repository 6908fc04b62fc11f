// Uses the installed package from JavaScript: every entry point must load and offer what it says.
import * as statek from 'statek';
import * as postgres from 'statek/postgres';
import * as testing from 'statek/testing';

for (const [name, module] of Object.entries({ statek, postgres, testing })) {
  if (typeof module !== 'object') throw new Error(`${name} did not load`);
}
console.log('JavaScript: works');
