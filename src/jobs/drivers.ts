// The drivers of this process, by role. They are registered before anything runs.
import { InvalidOptionError } from '../base/options.ts';
import { versionOption } from './code-version.ts';
import { checkDriver, type Driver } from './driver.ts';
import { DriverMissingError } from './errors.ts';

export class Drivers {
  readonly #byRole = new Map<string, Driver>();

  readonly #versions = new Map<string, string | undefined>();
  /** The version of the application's code. */
  readonly version: string | undefined;

  constructor(drivers: readonly Driver[] = [], version?: string) {
    this.version = version;
    for (const driver of drivers) this.add(driver);
  }

  add(driver: Driver): void {
    checkDriver(driver);
    if (this.#byRole.has(driver.role))
      throw new InvalidOptionError(`There are two drivers of the role '${driver.role}'.`, { name: driver.role });
    const version = versionOption(`driver '${driver.role}'`, driver.version) ?? this.version;
    if (driver.onChange !== undefined && version === undefined)
      throw new InvalidOptionError(
        `driver '${driver.role}': 'onChange' needs a version to tell changes by. Give the driver a version, or Statek.open({ version }).`,
        { name: 'onChange', role: driver.role },
      );
    this.#byRole.set(driver.role, driver);
    this.#versions.set(driver.role, version);
  }

  /** The version of the code of a role in this process; that of the application, if it has none of its own. */
  versionOf(role: string): string | undefined {
    return this.#versions.get(role) ?? this.version;
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
      `There is no driver of the role '${role}' in this process (there are: ${this.roles().join(', ') || 'none'}). Give it to Statek.open({ agents }) or, if it is no agent, Statek.open({ drivers }).`,
      { role },
    );
  }
}
