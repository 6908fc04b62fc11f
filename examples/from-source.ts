// Lets the examples import 'statek' as its users do, from the sources beside them: `node --import ./examples/from-source.ts`.
// In a project of your own you install the package and need none of this.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const [name, path = 'index', ...more] = specifier.split('/');
    const isOurs = name === 'statek' && more.length === 0;
    return next(isOurs ? new URL(`../src/${path}.ts`, import.meta.url).href : specifier, context);
  },
});
