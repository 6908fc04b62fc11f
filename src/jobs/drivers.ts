// The drivers of this process, by role. They are registered before anything runs.
import { InvalidOptionError } from '../base/options.ts';
import { checkDriver, type Driver } from './driver.ts';
import { DriverMissingError } from './errors.ts';

export class Drivers {
  readonly #byRole = new Map<string, Driver>();

  constructor(drivers: readonly Driver[] = []) {
    for (const driver of drivers) this.add(driver);
  }

  add(driver: Driver): void {
    checkDriver(driver);
    if (this.#byRole.has(driver.role))
      throw new InvalidOptionError(`There are two drivers of the role '${driver.role}'.`, { name: driver.role });
    this.#byRole.set(driver.role, driver);
  }

  get size(): number {
    return this.#byRole.size;
  }

  has(role: string): boolean {
    return this.#byRole.has(role);
  }

  get(role: string): Driver | undefined {
    return this.#byRole.get(role);
  }

  roles(): readonly string[] {
    return [...this.#byRole.keys()];
  }

  values(): Iterable<Driver> {
    return this.#byRole.values();
  }

  /** The driver of a role; throws if this process has none. */
  must(role: string): Driver {
    const driver = this.#byRole.get(role);
    if (driver !== undefined) return driver;
    throw new DriverMissingError(
      `There is no driver of the role '${role}' in this process (there are: ${this.roles().join(', ') || 'none'}). Give it to Statek.open({ drivers }).`,
      { role },
    );
  }
}
