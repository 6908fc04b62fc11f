// Tokens of handles. A token says what it stands for and carries a code only this workspace's host can make, so guest
// code can neither guess nor forge one, and no table has to be stored: a token in an image is good in any process that
// has the named object.
import { createHmac, createSecretKey, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { StatekError } from '../../base/error.ts';
import type { ObjectGraph } from '../../objects/door.ts';
import { exposureOf, isRevoked } from './exposure.ts';
import { durableLabel, durableReference, findDurable, type DurableKind } from './object-tokens.ts';
import { GuestText } from '../wire/decode.ts';

/** A handle was used whose object is gone, was revoked, or never was this workspace's. */
export class HandleError extends StatekError {
  readonly code = 'HANDLE';
}

/** A host object a workspace needs was not given to this process. */
export class BindingMissingError extends StatekError {
  readonly code = 'BINDING_MISSING';
}

interface Reference {
  readonly kind: 'service' | 'variable' | 'transient' | DurableKind;
  readonly name: string;
}

const kinds: ReadonlySet<string> = new Set(['service', 'variable', 'transient', 'object', 'class', 'query', 'enum']);

export interface Roots {
  /** Objects registered with the kit, by name. */
  readonly services: ReadonlyMap<string, object>;
  /** Objects given to this workspace, by variable. */
  readonly variables: ReadonlyMap<string, object>;
  /** Durable objects, which are found again by what they are. */
  readonly graph?: ObjectGraph | undefined;
  /** Where any other object is kept for as long as the process lives; without it, such objects last for one slice. */
  readonly kept?: Map<string, object> | undefined;
}

/** Names of services and variables are not as long as this. */
const maxTokenLength = 4096;
/** Tokens of durable objects that are remembered; others are worked out again. */
const maxRemembered = 10_000;

export class HandleTable {
  readonly #secret: KeyObject;
  readonly #roots: Roots;
  /** What services and variables are called. There can be many, so their tokens are made only when they are needed. */
  readonly #named = new Map<object, Reference>();
  readonly #tokens = new Map<object, string>();
  readonly #objects = new Map<string, object>();
  readonly #transient: Map<string, object>;
  readonly #durableTokens = new WeakMap<object, string>();
  readonly #durableObjects = new Map<string, object>();

  constructor(secret: Uint8Array, roots: Roots) {
    this.#secret = createSecretKey(secret);
    this.#roots = roots;
    this.#transient = roots.kept ?? new Map<string, object>();
    for (const [name, object] of roots.variables) {
      // What guest code may see is worked out before a program runs: reading the rules of a class takes its time.
      exposureOf(object);
      this.#named.set(object, { kind: 'variable', name });
    }
    // An object that is both is told by its service's name, which every process of the application knows.
    // One that is several is told by the first: the application's own names come before those of agents.
    for (const [name, object] of [...roots.services].toReversed()) this.#named.set(object, { kind: 'service', name });
  }

  /** The token for an object; the same object always has the same one. */
  tokenFor(object: object): string {
    const known = this.#tokens.get(object) ?? this.#durableTokens.get(object);
    if (known !== undefined) return known;
    const named = this.#named.get(object);
    if (named !== undefined) return this.#remember(named, object);
    const { graph } = this.#roots;
    const durable = graph && durableReference(graph, object);
    if (durable !== undefined) {
      const token = this.#tokenOf(durable);
      this.#durableTokens.set(object, token);
      // Whoever gets a handle asks at once what it is.
      this.#rememberDurable(token, object);
      return token;
    }
    const name = randomBytes(12).toString('base64url');
    this.#transient.set(name, object);
    return this.#remember({ kind: 'transient', name }, object);
  }

  objectFor(token: string): object {
    const known = this.#objects.get(token) ?? this.#durableObjects.get(token);
    if (known !== undefined) return usable(known);
    const reference = this.#referenceOf(token);
    const object = reference && this.#lookUp(reference);
    if (reference === undefined) throw new HandleError('This is not a handle of this workspace.');
    if (object === undefined) throw missing(reference);
    if (isDurableKind(reference.kind)) this.#rememberDurable(token, object);
    else this.#objects.set(token, object);
    return usable(object);
  }

  /** The id of the durable object a token stands for; undefined if it stands for something else. */
  static durableIdOf(token: string): string | undefined {
    if (!token.startsWith('object.')) return undefined;
    const name = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    return name.slice(name.lastIndexOf(' ') + 1);
  }

  /** Whether a token stands for something whose past can be read: durable objects, their classes, queries, members of enumerations. */
  static hasPast(token: string): boolean {
    return isDurableKind(token.slice(0, token.indexOf('.')));
  }

  /** What a token of the host's own says it stands for, whichever workspace it belongs to. */
  static nameIn(token: string): string {
    const [kind = '', name = ''] = token.split('.');
    if (kind === 'transient' || !kinds.has(kind)) return 'an object of the application';
    return durableLabel(kind, Buffer.from(name, 'base64url').toString());
  }

  /** What stands for a handle where its object is not to be touched. */
  shown(token: string): object {
    const reference = this.#referenceOf(token);
    const isNamed = reference !== undefined && reference.kind !== 'transient';
    return new GuestText(
      `[${isNamed ? durableLabel(reference.kind, reference.name) : 'an object of the application'}]`,
    );
  }

  /** The object of a handle if it can be had here, and what stands for it otherwise. */
  objectOrShown(token: string): object {
    try {
      return this.objectFor(token);
    } catch {
      return this.shown(token);
    }
  }

  /** What a handle is called, for people. */
  describe(token: string): string {
    const reference = this.#referenceOf(token);
    return reference === undefined || reference.kind === 'transient'
      ? exposureOf(this.objectFor(token)).name
      : durableLabel(reference.kind, reference.name);
  }

  /** Whether a handle may be kept past the slice: its object can be found again by name in another process. */
  isDurable(token: string): boolean {
    return this.#roots.kept !== undefined || !token.startsWith('transient.');
  }

  /** Forgets objects that were handed over for one slice only. */
  dropTransient(): void {
    if (this.#roots.kept !== undefined) return;
    for (const object of this.#transient.values()) {
      const token = this.#tokens.get(object);
      this.#tokens.delete(object);
      if (token !== undefined) this.#objects.delete(token);
    }
    this.#transient.clear();
  }

  #rememberDurable(token: string, object: object): void {
    if (this.#durableObjects.size >= maxRemembered) this.#durableObjects.clear();
    this.#durableObjects.set(token, object);
  }

  #remember(reference: Reference, object: object): string {
    const token = this.#tokenOf(reference);
    this.#tokens.set(object, token);
    this.#objects.set(token, object);
    return token;
  }

  #tokenOf({ kind, name }: Reference): string {
    const text = `${kind}.${Buffer.from(name).toString('base64url')}`;
    return `${text}.${this.#codeFor(text)}`;
  }

  #referenceOf(token: string): Reference | undefined {
    const [kind = '', name = '', code = ''] = token.slice(0, maxTokenLength).split('.');
    if (!kinds.has(kind)) return undefined;
    // One whose object is known was checked before.
    const isChecked = this.#objects.has(token) || this.#durableObjects.has(token);
    if (!isChecked && !isSame(this.#codeFor(`${kind}.${name}`), code)) return undefined;
    return { kind: kind as Reference['kind'], name: Buffer.from(name, 'base64url').toString() };
  }

  #lookUp({ kind, name }: Reference): object | undefined {
    switch (kind) {
      case 'service':
        return this.#roots.services.get(name);
      case 'variable':
        return this.#roots.variables.get(name);
      case 'transient':
        return this.#transient.get(name);
      default: {
        const { graph } = this.#roots;
        return graph && findDurable(graph, kind, name);
      }
    }
  }

  #codeFor(name: string): string {
    return createHmac('sha256', this.#secret).update(name).digest('base64url').slice(0, 24);
  }
}

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isDurableKind(kind: string): boolean {
  return kind === 'object' || kind === 'class' || kind === 'query' || kind === 'enum';
}

function usable(object: object): object {
  if (isRevoked(object))
    throw new HandleError('This object of the application was withdrawn and can no longer be used.');
  return object;
}

function missing({ kind, name }: Reference): StatekError {
  switch (kind) {
    case 'service':
      return new BindingMissingError(
        `The workspace uses the service '${name}', which this process did not register. Give it to Statek.open({ services }), or to its agent if it is a tool (role.tool).`,
        { kind, name },
      );
    case 'variable':
      return new BindingMissingError(
        `The workspace uses the application's object '${name}', which this process was not given. Give it to kit.workspace(…, { vars }).`,
        { kind, name },
      );
    case 'class':
      return new BindingMissingError(
        `The workspace uses the class '${name}', which this process did not register. Give it to Statek.open({ classes }).`,
        { kind, name },
      );
    case 'enum':
      return new BindingMissingError(
        `The workspace uses ${durableLabel(kind, name)}, which this process does not declare. Declare it with durableEnum.`,
        { kind, name: durableLabel(kind, name) },
      );
    default:
      return new HandleError('This object of the application was there only for the slice that got it.', { kind });
  }
}
