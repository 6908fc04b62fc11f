// Python workspaces for tests.
import { Statek, type StatekOptions, type Step, type Workspace } from '../../src/index.ts';

/** What is wrong with a step that should be done with the value true; nothing if it is. */
export async function problemOf(workspace: Workspace, code: string): Promise<string | undefined> {
  const step = await workspace.run(code);
  return step.status === 'done' && step.value === true ? undefined : told(step);
}

export function told({ status, value, error }: Step): string {
  return `${status}: ${error === undefined ? JSON.stringify(value) : `${error.name}: ${error.message} ${error.stack ?? ''}`}`;
}

/** A kit that is shared by the tests of a file, closed by whoever opened it. */
export function openSharedKit(options: Partial<StatekOptions> = {}): Promise<Statek> {
  return Statek.open({ store: 'memory:', ...options });
}
