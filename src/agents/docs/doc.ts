// What is said about one function, class or member, taken apart: the first paragraph is the brief, and the rest is told
// to whoever asks for more.

export interface ParameterDoc {
  readonly name: string;
  /** As it was written. */
  readonly type?: string;
  readonly optional?: true;
  readonly text: string;
}

export interface OutcomeDoc {
  readonly type?: string;
  readonly text: string;
}

export interface Doc {
  readonly brief: string;
  readonly details: string;
  readonly parameters: readonly ParameterDoc[];
  readonly returns?: OutcomeDoc;
  readonly throws: readonly OutcomeDoc[];
  readonly examples: readonly string[];
  readonly notes: readonly string[];
  /** Rules of STATEK-ACL lines, which are not part of the text. */
  readonly acl: readonly string[];
}

export const noDoc: Doc = {
  brief: '',
  details: '',
  parameters: [],
  throws: [],
  examples: [],
  notes: [],
  acl: [],
};

/** What is said in several places, the best first: each part from the first place that has it. */
export function mergeDocs(docs: readonly (Doc | undefined)[]): Doc {
  const known = docs.filter((doc) => doc !== undefined);
  const first = <Name extends keyof Doc>(name: Name, isThere: (value: Doc[Name]) => boolean): Doc[Name] =>
    (known.find((doc) => isThere(doc[name])) ?? noDoc)[name];
  const list = (value: readonly unknown[]): boolean => value.length > 0;
  const { brief, details } = known.find((doc) => doc.brief !== '' || doc.details !== '') ?? noDoc;
  const returns = first('returns', (value) => value !== undefined);
  const names = [...new Set(known.flatMap((doc) => doc.parameters.map(({ name }) => name)))];
  return {
    brief,
    details,
    parameters: names.map((name) => {
      const said = known.flatMap((doc) => doc.parameters.filter((parameter) => parameter.name === name));
      const type = said.find((parameter) => parameter.type !== undefined)?.type;
      return {
        name,
        text: said.find(({ text }) => text !== '')?.text ?? '',
        ...(type === undefined ? {} : { type }),
        ...(said.some(({ optional }) => optional) ? { optional: true as const } : {}),
      };
    }),
    ...(returns === undefined ? {} : { returns }),
    throws: first('throws', list),
    examples: first('examples', list),
    notes: first('notes', list),
    acl: first('acl', list),
  };
}

/** The first paragraph on one line, and the rest. */
export function splitBrief(text: string): Pick<Doc, 'brief' | 'details'> {
  const [first = '', ...rest] = text.trim().split(/\n[ \t]*\n/);
  return { brief: first.replaceAll(/\s*\n\s*/g, ' ').trim(), details: rest.join('\n\n').trim() };
}
