// The languages of workspaces, by name. A workspace's row keeps the name.

/** A language that programs can be written in. */
export type LanguageName = 'typescript' | 'python';

export const languageNames: readonly LanguageName[] = ['typescript', 'python'];
