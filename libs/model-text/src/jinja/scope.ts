import { Undefined, type Value } from './values.js';

/** The variables of a block. Variables of outer blocks can be read, but not set. */
export class Scope {
  readonly #own = new Map<string, Value>();

  constructor(private readonly outer: Scope | null = null) {}

  /** The value of a name; `Undefined` = not set. */
  get(name: string): Value {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- it walks up from here
    for (let scope: Scope | null = this; scope; scope = scope.outer) {
      const value = scope.#own.get(name);
      if (value !== undefined) return value;
    }
    return new Undefined(`'${name}'`);
  }

  set(name: string, value: Value): void {
    this.#own.set(name, value);
  }
}
