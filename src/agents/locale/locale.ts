// The locale of a job: a rule in the prompt and a hint on messages make a model answer in the user's language.
import { InvalidOptionError } from '../../base/options.ts';
import { closest } from '../../base/closest.ts';
import { languages, type SpokenLanguage } from './languages.ts';

/** Other codes for the same languages. */
const aliases: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he', in: 'id', cmn: 'zh' };

/** The language of a locale such as `de`, `de-AT`, `pt_BR`, `German` or `Deutsch`; one that is unknown is refused. */
export function spokenLanguage(locale: string): SpokenLanguage {
  const [code = ''] = locale
    .trim()
    .toLowerCase()
    .split(/[-_.@]/);
  const wanted = aliases[code] ?? code;
  const name = locale.trim().toLowerCase();
  const found = languages.find(
    ({ code: own, english, native }) =>
      own === wanted || english.toLowerCase() === name || native.toLowerCase() === name,
  );
  if (found !== undefined) return found;
  const [near] = closest(
    locale,
    languages.map(({ english }) => english),
  );
  throw new InvalidOptionError(
    `There is no language '${locale}'.${near === undefined ? '' : ` Did you mean ${near}?`} There are ${languages.map(({ code: own }) => own).join(', ')}.`,
    { locale },
  );
}

/** What the prompt says about the language of answers. */
export function languageRule(locale: string): string {
  const { english, native, rule } = spokenLanguage(locale);
  return (
    rule ?? `Write everything the user reads in ${english} (${native}). Leave code, names and quotations as they are.`
  );
}

/** What is added to a message. */
export function languageHint(locale: string): string {
  const { english, native, hint } = spokenLanguage(locale);
  return hint ?? `Answer in ${english} (${native}).`;
}
