// Names that the application cannot give to a variable of a program: words of the language, and functions of the guest.
// A variable under one of them could not be read, or would take away what every program relies on.
import { InvalidOptionError } from '../../base/options.ts';
import { languageNames, type LanguageName } from '../language-name.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** What the guest itself supplies to programs. Tests compare these lists with what a program finds. */
export const guestFunctions: Readonly<Record<LanguageName, readonly string[]>> = {
  typescript: words(`
    print console printLocals sleep until signal ask clarify approve delegate delegateMute delegateDialog delegateAll
    startSubtask findSubtask completeSubtask exit fail
  `),
  python: words(`
    print print_locals sleep until signal ask clarify approve start get_all get_any delegate delegate_mute delegate_dialog
    delegate_all start_subtask find_subtask complete_subtask exit fail HostError CancelledError OutcomeUnknownError
  `),
};

const languageWords: Readonly<Record<LanguageName, readonly string[]>> = {
  typescript: words(`
    arguments await break case catch class const continue debugger default delete do else enum eval export extends false
    finally for function if implements import in instanceof interface let new null package private protected public return
    static super switch this throw true try typeof var void while with yield undefined NaN Infinity globalThis __proto__
  `),
  python: words(`
    False None True and as assert async await break class continue def del elif else except finally for from global if
    import in is lambda nonlocal not or pass raise return try while with yield __debug__ __builtins__ __name__
  `),
};

const reserved: Readonly<Record<LanguageName, ReadonlyMap<string, string>>> = {
  typescript: reservedIn('typescript', 'TypeScript'),
  python: reservedIn('python', 'Python'),
};

/**
 * Refuses variables that programs of a language could not use. Where the language is not known yet, only names that no
 * language can take are refused.
 */
export function refuseReservedNames(where: string, names: Iterable<string>, language: LanguageName | undefined): void {
  for (const name of names) {
    const reason = reservedFor(name, language);
    if (reason !== undefined)
      throw new InvalidOptionError(`${where}: vars.${name} cannot be used: ${reason}. Choose another name.`, {
        name,
        ...(language === undefined ? {} : { language }),
      });
  }
}

/** Why programs of a language, or of any if none is given, could not use a name; undefined if they can. */
export function reservedFor(name: string, language?: LanguageName): string | undefined {
  const reasons = (language === undefined ? languageNames : [language]).map((one) => reasonAgainst(name, one));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

function reasonAgainst(name: string, language: LanguageName): string | undefined {
  if (name.startsWith('__statek')) return "names that begin with '__statek' are reserved";
  return reserved[language].get(name);
}

function reservedIn(language: LanguageName, title: string): ReadonlyMap<string, string> {
  return new Map([
    ...languageWords[language].map((name) => [name, `'${name}' is a word of ${title}`] as const),
    ...guestFunctions[language].map((name) => [name, `'${name}' is something every program has`] as const),
  ]);
}
