// Values that go from one job to another or wait in the store: data, and services of the application by their names.
import { BindingMissingError } from '../workspace/handle-table.ts';
import { NotDurableError } from '../workspace/errors.ts';
import { exposureOf } from '../workspace/exposure.ts';
import { decodeWire } from '../workspace/wire-decode.ts';
import { encodeWire } from '../workspace/wire-encode.ts';

const maxBytes = 8 * 1024 * 1024;

export class SharedValues {
  readonly #services: ReadonlyMap<string, object>;
  readonly #names: ReadonlyMap<object, string>;

  constructor(services: ReadonlyMap<string, object>) {
    this.#services = services;
    this.#names = new Map([...services].map(([name, service]) => [service, name]));
  }

  encode(value: unknown, what: string): string {
    return encodeWire(value, {
      maxBytes,
      handleFor: (object) => {
        const name = this.#names.get(object);
        if (name !== undefined) return name;
        throw new NotDurableError(
          `${what} holds ${exposureOf(object).name}, which other processes cannot find. Give data, or register it as a service with Statek.open({ services }).`,
        );
      },
    });
  }

  decode(message: string): unknown {
    return decodeWire(message, {
      maxBytes: Number.POSITIVE_INFINITY,
      callback: () => undefined,
      handle: (name) => {
        const service = this.#services.get(name);
        if (service !== undefined) return service;
        throw new BindingMissingError(
          `The job uses the service '${name}', which this process did not register. Give it to Statek.open({ services }).`,
          { kind: 'service', name },
        );
      },
    });
  }

  /** Whether a message names services, and so must be decoded before it is handed to a program. */
  static hasServices(message: string): boolean {
    return message.includes('["H"');
  }
}
