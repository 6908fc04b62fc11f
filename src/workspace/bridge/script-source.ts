// The script of a class, as the engine compiled it: the comment before a class is part of that script and of nothing
// else a program can read. docs/decisions/0073 tells why the engine is asked this way.
import { setFlagsFromString } from 'node:v8';
import { compileFunction } from 'node:vm';

export interface ScriptPlace {
  /** The engine's number of the script, unique in this thread. */
  readonly script: number;
  readonly source: string;
  /** A place in the source inside the class: its beginning or that of its constructor. */
  readonly place: number;
}

const question =
  'return [%FunctionGetScriptId(target), %FunctionGetScriptSource(target), %FunctionGetScriptSourcePosition(target)]';

/** The script that a class was compiled from. Throws where the engine does not tell. */
export function scriptOf(target: abstract new (...parameters: never[]) => unknown): ScriptPlace {
  const [script, source, place] = intrinsically(() =>
    (compileFunction(question, ['target']) as (of: unknown) => unknown[])(target),
  );
  if (typeof script !== 'number' || typeof source !== 'string' || typeof place !== 'number')
    throw new TypeError('The engine has no source of the script.');
  return { script, source, place };
}

/** Runs a function with the engine's own functions in reach; both the compiler and they run before it returns. */
function intrinsically<Result>(run: () => Result): Result {
  try {
    return run();
  } catch {
    // As expected, unless the process was started with the flag.
  }
  setFlagsFromString('--allow-natives-syntax');
  try {
    return run();
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}
