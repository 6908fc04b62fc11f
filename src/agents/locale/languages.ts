// The languages people may be answered in. The main ones have wording of their own, since a rule in the language itself is
// followed best; the rest are named.

export interface SpokenLanguage {
  /** ISO 639-1 */
  readonly code: string;
  readonly english: string;
  readonly native: string;
  /** The rule in a prompt. */
  readonly rule?: string;
  /** The hint on a message. */
  readonly hint?: string;
}

export const languages: readonly SpokenLanguage[] = [
  {
    code: 'en',
    english: 'English',
    native: 'English',
    rule: 'Write everything the user reads in English. Leave code, names and quotations as they are.',
    hint: 'Answer in English.',
  },
  {
    code: 'de',
    english: 'German',
    native: 'Deutsch',
    rule: 'Schreibe alles, was der Benutzer liest, auf Deutsch. Code, Namen und Zitate bleiben, wie sie sind.',
    hint: 'Antworte auf Deutsch.',
  },
  {
    code: 'fr',
    english: 'French',
    native: 'français',
    rule: "Écris en français tout ce que l'utilisateur lit. Laisse le code, les noms et les citations tels quels.",
    hint: 'Réponds en français.',
  },
  {
    code: 'es',
    english: 'Spanish',
    native: 'español',
    rule: 'Escribe en español todo lo que lea el usuario. Deja el código, los nombres y las citas como están.',
    hint: 'Responde en español.',
  },
  {
    code: 'it',
    english: 'Italian',
    native: 'italiano',
    rule: "Scrivi in italiano tutto ciò che l'utente legge. Lascia il codice, i nomi e le citazioni così come sono.",
    hint: 'Rispondi in italiano.',
  },
  {
    code: 'pt',
    english: 'Portuguese',
    native: 'português',
    rule: 'Escreva em português tudo o que o usuário lê. Deixe o código, os nomes e as citações como estão.',
    hint: 'Responda em português.',
  },
  {
    code: 'nl',
    english: 'Dutch',
    native: 'Nederlands',
    rule: 'Schrijf alles wat de gebruiker leest in het Nederlands. Laat code, namen en citaten zoals ze zijn.',
    hint: 'Antwoord in het Nederlands.',
  },
  {
    code: 'pl',
    english: 'Polish',
    native: 'polski',
    rule: 'Pisz po polsku wszystko, co czyta użytkownik. Kod, nazwy i cytaty pozostaw bez zmian.',
    hint: 'Odpowiadaj po polsku.',
  },
  {
    code: 'ru',
    english: 'Russian',
    native: 'русский',
    rule: 'Пиши по-русски всё, что читает пользователь. Код, имена и цитаты оставляй как есть.',
    hint: 'Отвечай по-русски.',
  },
  {
    code: 'uk',
    english: 'Ukrainian',
    native: 'українська',
    rule: 'Пиши українською все, що читає користувач. Код, імена та цитати залишай як є.',
    hint: 'Відповідай українською.',
  },
  {
    code: 'zh',
    english: 'Chinese',
    native: '中文',
    rule: '用户读到的一切都用中文书写。代码、名称和引文保持原样。',
    hint: '请用中文回答。',
  },
  {
    code: 'ja',
    english: 'Japanese',
    native: '日本語',
    rule: 'ユーザーが読むものはすべて日本語で書いてください。コード、名前、引用はそのままにしてください。',
    hint: '日本語で答えてください。',
  },
  {
    code: 'ko',
    english: 'Korean',
    native: '한국어',
    rule: '사용자가 읽는 모든 것을 한국어로 작성하세요. 코드, 이름, 인용문은 그대로 두세요.',
    hint: '한국어로 답하세요.',
  },
  { code: 'ar', english: 'Arabic', native: 'العربية' },
  { code: 'bg', english: 'Bulgarian', native: 'български' },
  { code: 'bn', english: 'Bengali', native: 'বাংলা' },
  { code: 'ca', english: 'Catalan', native: 'català' },
  { code: 'cs', english: 'Czech', native: 'čeština' },
  { code: 'da', english: 'Danish', native: 'dansk' },
  { code: 'el', english: 'Greek', native: 'ελληνικά' },
  { code: 'et', english: 'Estonian', native: 'eesti' },
  { code: 'fa', english: 'Persian', native: 'فارسی' },
  { code: 'fi', english: 'Finnish', native: 'suomi' },
  { code: 'he', english: 'Hebrew', native: 'עברית' },
  { code: 'hi', english: 'Hindi', native: 'हिन्दी' },
  { code: 'hr', english: 'Croatian', native: 'hrvatski' },
  { code: 'hu', english: 'Hungarian', native: 'magyar' },
  { code: 'id', english: 'Indonesian', native: 'Bahasa Indonesia' },
  { code: 'nb', english: 'Norwegian', native: 'norsk' },
  { code: 'ro', english: 'Romanian', native: 'română' },
  { code: 'sk', english: 'Slovak', native: 'slovenčina' },
  { code: 'sv', english: 'Swedish', native: 'svenska' },
  { code: 'th', english: 'Thai', native: 'ไทย' },
  { code: 'tr', english: 'Turkish', native: 'Türkçe' },
  { code: 'vi', english: 'Vietnamese', native: 'Tiếng Việt' },
];
