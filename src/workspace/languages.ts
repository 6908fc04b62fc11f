// The languages a kit has. Each is made when the first workspace in it is used, so that nobody pays for one they do not use.
import type { Language } from './language.ts';
import type { LanguageName } from './language-name.ts';
import { PythonLanguage } from './python/language.ts';
import { isPythonModule } from './python/modules.ts';
import { TypeScriptLanguage } from './typescript/language.ts';

export interface LanguagesOptions {
  /** Instances of each that may be alive at once. */
  readonly instances: number;
  readonly memoryBytes: number;
  /** Modules the application registered: those whose name ends in `.py` are for Python. */
  readonly modules: ReadonlyMap<string, string>;
}

export class Languages {
  readonly #options: LanguagesOptions;
  readonly #made = new Map<LanguageName, Language>();

  constructor(options: LanguagesOptions) {
    this.#options = options;
  }

  of(name: LanguageName): Language {
    let language = this.#made.get(name);
    if (language === undefined) this.#made.set(name, (language = this.#make(name)));
    return language;
  }

  /** The same, when what takes long to load is there: a process that stands still loses its leases. */
  async prepared(name: LanguageName, programs: 'stored programs' | 'new programs'): Promise<Language> {
    const language = this.of(name);
    await language.prepare?.(programs);
    return language;
  }

  close(): void {
    for (const language of this.#made.values()) language.close();
  }

  #make(name: LanguageName): Language {
    const { instances, memoryBytes } = this.#options;
    const isPython = name === 'python';
    const modules = new Map([...this.#options.modules].filter(([path]) => isPythonModule(path) === isPython));
    const options = { instances, memoryBytes, modules };
    return isPython ? new PythonLanguage(options) : new TypeScriptLanguage(options);
  }
}
