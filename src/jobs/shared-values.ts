// Values that go from one job to another or wait in the store: data, and by their names services and durable objects.
import {
  BindingMissingError,
  decodeWire,
  durableReference,
  encodeWire,
  exposureOf,
  findDurable,
  NotDurableError,
  type DurableKind,
  type WireMessage,
} from '../workspace/door.ts';
import type { ObjectGraph } from '../objects/door.ts';

const maxBytes = 8 * 1024 * 1024;

function describedObject(object: object): string {
  const { name } = exposureOf(object);
  if (typeof object === 'function') return name === '' ? 'a function' : `the function ${name}`;
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
}

export class SharedValues {
  readonly #services: ReadonlyMap<string, object>;
  #names: ReadonlyMap<object, string>;
  readonly #graph: ObjectGraph;

  constructor(services: ReadonlyMap<string, object>, graph: ObjectGraph) {
    this.#graph = graph;
    this.#services = services;
    this.#names = new Map([...services].map(([name, service]) => [service, name]));
  }

  /** The variables of a job. If one of them cannot be stored, the error names it. */
  encodeVariables(vars: Readonly<Record<string, unknown>>, where: string): WireMessage {
    try {
      // A plain object with functions in it would cross as an object of the application.
      return this.encode(new Map(Object.entries(vars)), `${where}: a variable`);
    } catch (error) {
      for (const [name, value] of Object.entries(vars)) this.encode(value, `${where}: vars.${name}`);
      throw error;
    }
  }

  encode(value: unknown, what: string): WireMessage {
    return encodeWire(value, {
      maxBytes,
      path: what,
      handleFor: (object, path) => {
        const name = this.#names.get(object);
        if (name !== undefined) return `service ${name}`;
        const durable = durableReference(this.#graph, object);
        if (durable !== undefined) return `${durable.kind} ${durable.name}`;
        const added = this.#nameOfAdded(object);
        if (added !== undefined) return `service ${added}`;
        throw new NotDurableError(
          `${path} is ${describedObject(object)}, which other processes cannot find. Give data or a durable object, or register it as a service with Statek.open({ services }).`,
        );
      },
    });
  }

  decode(message: WireMessage): unknown {
    return decodeWire(message, {
      maxBytes: Number.POSITIVE_INFINITY,
      callback: () => undefined,
      handle: (token) => {
        const space = token.indexOf(' ');
        const kind = token.slice(0, space);
        const name = token.slice(space + 1);
        const found =
          kind === 'service' ? this.#services.get(name) : findDurable(this.#graph, kind as DurableKind, name);
        if (found !== undefined) return found;
        throw new BindingMissingError(
          `The job uses the ${kind} '${name}', which this process did not register. Give it to Statek.open({ services, classes }).`,
          { kind, name },
        );
      },
    });
  }

  /** Services are added while the kit is open. */
  #nameOfAdded(service: object): string | undefined {
    this.#names = new Map([...this.#services].map(([name, one]) => [one, name]));
    return this.#names.get(service);
  }

  /** Ids of the durable objects that a row's messages name. A text that only looks so keeps an object for a while. */
  static *objectsIn(row: unknown): Generator<string, void, undefined> {
    for (const [, id] of JSON.stringify(row ?? null).matchAll(/"object [^"\\]* ([^" \\]+)\\*"/g))
      if (id !== undefined) yield id;
  }

  /** Whether a message names services, and so must be decoded before it is handed to a program. */
  static hasServices(message: WireMessage): boolean {
    return message.includes('["H"');
  }
}
