// Imported first by every entry of the package: a Node that is too old gets a sentence, and not the first thing that fails.
// For that, no module may import by name what an old Node's own modules lack: such an import fails before anything runs.
import { nodeTooOld, NodeVersionError } from './node-version.ts';

const wrong = nodeTooOld(process.versions.node);
if (wrong !== undefined) throw new NodeVersionError(wrong, { node: process.versions.node });
