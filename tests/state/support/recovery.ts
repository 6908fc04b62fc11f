// What the killed process and the one after it have in common: an agent that saves a snapshot of itself, and goes on.
import { Agent } from '../../../src/index.ts';
import { scriptedModel, type ScriptedModel, type ScriptStep } from '../../../src/testing.ts';

export type RecoveryLanguage = 'typescript' | 'python';

export function counter(language: RecoveryLanguage): Agent {
  return new Agent({ role: 'counter', chatStyle: 'MD_DIALOG', language, metadata: { MODEL: 'script' } });
}

export function code(language: RecoveryLanguage, typescript: string, python: string): string {
  return language === 'python' ? `\`\`\`python\n${python}\n\`\`\`` : `\`\`\`ts\n${typescript}\n\`\`\``;
}

export function script(...steps: readonly ScriptStep[]): ScriptedModel {
  return scriptedModel(steps);
}
