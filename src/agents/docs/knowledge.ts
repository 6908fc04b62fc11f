// Puts together what is known about a class, an object or a function, from every place that says something, and leaves
// out what guest code of a role cannot see.
import { durableBases, nodeOf, ownOptions, type AnyClass } from '../../objects/door.ts';
import { accessRules, accessTo, exposureOf, isPrivate, narrowed, type Access } from '../../workspace/door.ts';
import type { ClassDeclaration, Declaration, Declarations, FunctionDeclaration } from './declaration.ts';
import { descriptionOf } from './describe.ts';
import { describedClass, describedFunction, descriptorOf } from './described.ts';
import { mergeDocs, type Doc } from './doc.ts';
import { mergeFields, mergeFunctions } from './merge.ts';
import { declarationInSource } from './syntax/running-source.ts';
import { typeName, type TypeNode } from './syntax/type-node.ts';
import { valueType } from './print/value-type.ts';

type Callable = (...parameters: never[]) => unknown;

export class Knowledge {
  readonly #extracted = new Map<string, Declaration>();

  constructor(extracted: readonly Declarations[] = []) {
    for (const { declarations } of extracted)
      for (const declaration of declarations)
        if (!this.#extracted.has(declaration.name)) this.#extracted.set(declaration.name, declaration);
  }

  /** What was read from files about a name. */
  extracted(name: string): Declaration | undefined {
    return this.#extracted.get(name);
  }

  ofFunction(target: Callable, name: string = target.name): FunctionDeclaration {
    const read = this.#extracted.get(target.name);
    const inSource = declarationInSource(target);
    return mergeFunctions(name, [
      describedFunction(name, descriptionOf(target)),
      inSource?.kind === 'function' ? inSource : undefined,
      read?.kind === 'function' ? read : undefined,
    ]);
  }

  /** The objects of a class as code of a role sees them. */
  ofClass(target: AnyClass, role?: string): ClassDeclaration {
    const levels = levelsOf(target);
    const said = this.#said(levels);
    const options = levels.flatMap((level) => ownOptions(level) ?? []);
    const name = ownOptions(target)?.name ?? target.name;
    const doc = mergeDocs(said.map((one) => one.doc));
    const access = withAcl(narrowed(accessRules(options, role), levels, role), doc, role);
    const fields = names(said.flatMap((one) => one.fields)).filter((field) => access.sees(field));
    const methods = new Set([...methodNames(target), ...names(said.flatMap((one) => one.methods))]);
    const construct = said.find((one) => one.construct !== undefined)?.construct;
    return {
      ...membersOf(
        name,
        said,
        fields.map((field) => ({ name: field, writable: access.writes(field) })),
        [...methods].filter((method) => access.sees(method)),
      ),
      doc,
      ...(construct === undefined ? {} : { construct }),
      statics: said.flatMap((one) => one.statics).filter((method) => !isPrivate(method.name)),
    };
  }

  /** An object that guest code holds by handle, as code of a role sees it. */
  ofObject(value: object, role?: string): ClassDeclaration {
    const exposure = exposureOf(value, role);
    const levels = levelsOf(classOf(value));
    const said = this.#said(levels);
    const own = descriptionOf(value);
    if (own !== undefined) said.unshift(describedClass(exposure.name, own, value));
    const access = accessTo(value, role);
    const doc = mergeDocs(said.map((one) => one.doc));
    const limited = withAcl(access ?? everything, doc, role);
    const fields =
      access === undefined
        ? exposure.fields
        : [...new Set([...names(said.flatMap((one) => one.fields)), ...ownNames(value)])].map((name) => ({
            name,
            writable: access.writes(name),
          }));
    const members = membersOf(
      typeName(exposure.name),
      said,
      fields.filter(({ name }) => limited.sees(name)),
      exposure.methods.filter((method) => limited.sees(method)),
    );
    return {
      ...members,
      doc,
      fields: members.fields.map((field) => {
        const type = field.type ?? typeOfMember(value, field.name, role);
        return type === undefined ? field : { ...field, type };
      }),
      methods: members.methods.map((method) => withOwnSource(value, method)),
    };
  }

  /** What is said of the levels of a class, the nearest first, and of each the best first. */
  #said(levels: readonly AnyClass[]): ClassDeclaration[] {
    return levels.flatMap((level) => {
      const description = descriptionOf(level);
      const inSource = declarationInSource(level);
      const read = this.#extracted.get(level.name);
      return [
        ...(description === undefined ? [] : [describedClass(level.name, description, level.prototype as object)]),
        ...(inSource?.kind === 'class' ? [inSource] : []),
        ...(read?.kind === 'class' ? [read] : []),
      ];
    });
  }
}

const everything: Access = { sees: (name) => !isPrivate(name), writes: () => true };

/** Rules in the comment of a class narrow what is told, as those of its declaration do. */
function withAcl(access: Access, doc: Doc, role: string | undefined): Access {
  if (doc.acl.length === 0) return access;
  const rules = accessRules([{ acl: doc.acl }], role);
  return {
    sees: (name) => access.sees(name) && rules.sees(name),
    writes: (name) => access.writes(name) && rules.writes(name),
  };
}

function membersOf(
  name: string,
  said: readonly ClassDeclaration[],
  fields: readonly { readonly name: string; readonly writable: boolean }[],
  methods: readonly string[],
): ClassDeclaration {
  return {
    kind: 'class',
    name,
    fields: fields.map((field) => {
      const all = said.flatMap((one) => one.fields.filter((other) => other.name === field.name));
      const merged = mergeFields(field.name, all);
      return field.writable || merged.readonly === true ? merged : { ...merged, readonly: true as const };
    }),
    methods: methods.map((method) =>
      mergeFunctions(
        method,
        said.flatMap((one) => one.methods.filter((other) => other.name === method)),
      ),
    ),
    statics: [],
  };
}

/** A method that an object has of its own, or that a base written elsewhere declares, has source too. */
function withOwnSource(value: object, method: FunctionDeclaration): FunctionDeclaration {
  if (method.parameters.length > 0 || method.returns !== undefined || nodeOf(value) !== undefined) return method;
  const found: unknown = descriptorOf(value, method.name)?.value;
  if (typeof found !== 'function') return method;
  const inSource = declarationInSource(found);
  const described = describedFunction(method.name, descriptionOf(found));
  return mergeFunctions(method.name, [described, method, inSource?.kind === 'function' ? inSource : undefined]);
}

function typeOfMember(value: object, name: string, role: string | undefined): TypeNode | undefined {
  try {
    // A getter would run code of the application.
    const descriptor = descriptorOf(value, name);
    if (descriptor === undefined || !('value' in descriptor) || descriptor.value === undefined) return undefined;
    return valueType(descriptor.value, role);
  } catch {
    // An object that is not loaded tells nothing.
    return undefined;
  }
}

function ownNames(value: object): string[] {
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

function names(members: readonly { readonly name: string }[]): string[] {
  return [...new Set(members.map(({ name }) => name))];
}

/** The class of an object; of a durable one, as it is registered. */
function classOf(value: object): AnyClass | undefined {
  const node = nodeOf(value);
  if (node !== undefined) return node.objects.classes.named(node.type)?.target;
  const made: unknown = (Object.getPrototypeOf(value) as { constructor?: unknown } | null)?.constructor;
  return typeof made === 'function' ? (made as AnyClass) : undefined;
}

function levelsOf(target: AnyClass | undefined): AnyClass[] {
  const levels: AnyClass[] = [];
  for (
    let level: unknown = target;
    typeof level === 'function' && level !== Function.prototype && level !== Object;
    level = Object.getPrototypeOf(level)
  )
    if (!durableBases.has(level)) levels.push(level as AnyClass);
  return levels;
}

function methodNames(target: AnyClass): string[] {
  return levelsOf(target).flatMap((level) =>
    Object.entries(Object.getOwnPropertyDescriptors(level.prototype as object))
      .filter(([, descriptor]) => typeof descriptor.value === 'function')
      .map(([name]) => name),
  );
}
