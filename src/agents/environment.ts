// What is around an agent and not in it: settings, folders of prompts, warmups, examples and documents, and what is known
// about the application's own functions and classes.
import type { Clock } from '../base/clock.ts';
import { withhold } from '../workspace/door.ts';
import { readDeclarations } from './docs/syntax/extract.ts';
import { Knowledge } from './docs/knowledge.ts';
import { DocumentDirectory } from './documents/document-directory.ts';
import { KnowledgeDocuments } from './documents/knowledge-documents.ts';
import { ExampleDirectory } from './examples/example-directory.ts';
import { PromptDirectory } from './prompts/prompt-directory.ts';
import { WarmupDirectory } from './prompts/warmup-directory.ts';
import { readSettings, SettingsError, type Settings, type SettingOptions } from './settings/settings.ts';

export class AgentEnvironment {
  readonly settings: Settings;
  readonly prompts: PromptDirectory | undefined;
  readonly warmups: WarmupDirectory | undefined;
  readonly examples: ExampleDirectory | undefined;
  readonly documents: DocumentDirectory | KnowledgeDocuments | undefined;
  readonly knowledge: Knowledge;

  constructor(settings: Settings, clock?: Clock) {
    const { prompts, warmups, examples, documents, knowledgeBase, declarations } = settings.values;
    if (documents !== undefined && knowledgeBase !== undefined)
      throw new SettingsError(
        'Agents read documents either of a folder (documents, STATEK_DOCUMENTS) or of a knowledge base (knowledgeBase, STATEK_KNOWLEDGE_BASE), not both. Index the folder with kit.knowledge.index.',
      );
    const declared = declarations === undefined ? [] : [readDeclarations(declarations)];
    // Rules in comments hold where the comments are known.
    for (const one of declared.flatMap((file) => file.declarations))
      if (one.kind === 'class') withhold(one.name, one.doc?.acl ?? []);
    this.settings = settings;
    this.knowledge = new Knowledge(declared);
    this.prompts = prompts === undefined ? undefined : new PromptDirectory(prompts, { clock });
    this.warmups = warmups === undefined ? undefined : new WarmupDirectory(warmups, { clock });
    this.examples = examples === undefined ? undefined : new ExampleDirectory(examples, { clock });
    this.documents =
      knowledgeBase !== undefined
        ? new KnowledgeDocuments(knowledgeBase)
        : documents === undefined
          ? undefined
          : new DocumentDirectory(documents, { clock });
  }

  /** Those of this process: its environment, and a file `.env` where it was started. */
  static ofProcess(options: SettingOptions = {}, clock?: Clock): AgentEnvironment {
    return new AgentEnvironment(readSettings(options, { env: process.env, file: '.env' }), clock);
  }
}
