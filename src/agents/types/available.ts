// Whether types can be checked here. It is said when a job is made, and not when its first code comes.
import { createRequire } from 'node:module';
import { AgentSettingsError } from '../errors.ts';
import type { Language } from '../prompts/metadata.ts';

export function refuseTypeCheck(role: string, language: Language): void {
  if (language !== 'typescript')
    throw new AgentSettingsError(`The agent '${role}' writes ${language}; only TypeScript can be checked.`, { role });
  const version = installedVersion();
  if (version === undefined || !(Number.parseInt(version, 10) >= 7))
    throw new AgentSettingsError(
      `The agent '${role}' wants its types checked, which needs the package 'typescript', 7 or newer${version === undefined ? '' : `; ${version} is installed`}. Install it: npm install typescript`,
      { role },
    );
}

function installedVersion(): string | undefined {
  try {
    return (createRequire(import.meta.url)('typescript/package.json') as { version: string }).version;
  } catch {
    return undefined;
  }
}
