// Imported first by every entry point: on a Node that is too old, it throws a clear error before anything else fails. For
// that, no module may import by name what old built-in modules lack: such an import fails before any code runs.
import { nodeTooOld, NodeVersionError } from './node-version.ts';

const problem = nodeTooOld(process.versions.node);
if (problem !== undefined) throw new NodeVersionError(problem, { node: process.versions.node });
