// What an editor and a compiler need beside programs: what programs find, and how they are to be read.
import { guestGlobals } from '../../agents/types/guest-globals.ts';

/** Each program is a module of its own, so that it may wait at its top level. */
export const programCompilerOptions: object = {
  compilerOptions: {
    target: 'esnext',
    lib: ['es2024'],
    module: 'preserve',
    moduleDetection: 'force',
    types: [],
    noEmit: true,
    strict: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

export function programTypes(application: string): string {
  return `// What programs find, written by statek types. Do not change it by hand: it is written anew.

${guestGlobals}${application === '' ? '' : `\n${application.trim()}\n`}`;
}
