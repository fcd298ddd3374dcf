import { availableParallelism, cpus, loadavg } from 'node:os';
import type { Field } from './field.js';
import { gateOf } from './figures/gate.js';
import type { Cell, IdleFigure, RunFile } from './figures/run-file.js';
import { measureRest } from './loads/at-rest.js';
import { measureIdle } from './loads/idle-streams.js';
import { type Load, LOADS, shortened, WARM_UP } from './loads/loads.js';
import { orderOf, takeCell, waysOf } from './loads/rounds.js';
import type { BenchOptions } from './options.js';

/** Everything that one run measures, in its order. */
export class Session {
  readonly #loads: readonly Load[];
  /** Refused keys, by way. */
  readonly #keys = new Map<string, string>();
  readonly #cells: Cell[] = [];
  readonly #startedAt = new Date();
  readonly #loadBefore = loadavg()[0] ?? 0;

  constructor(
    private readonly options: BenchOptions,
    private readonly field: Field,
  ) {
    const { loads, share } = options;
    this.#loads = LOADS.filter(({ name }) => loads.includes(name)).map((load) => (share < 1 ? shortened(load, share) : load));
  }

  async run(): Promise<RunFile> {
    const { options, field } = this;
    const { surroundings, ways } = field;
    const servers = ways.filter(({ name }) => name !== 'direct');
    const rest = options.rest ? await measureRest(servers, options.share) : [];
    const idle: IdleFigure[] = [];
    for (const way of options.idle ? servers : []) idle.push(await measureIdle(surroundings, way, options.share));
    if (this.#loads.length > 0) await this.#prepare();
    await this.#rounds(this.#loads, 0);
    await this.#rounds(this.#suspects(), options.rounds);
    return { ...this.#head(), cells: this.#cells, rest, idle };
  }

  #head(): Omit<RunFile, 'cells' | 'rest' | 'idle'> {
    const { options, field } = this;
    return {
      form: 1,
      at: this.#startedAt.toISOString(),
      seconds: Math.round((Date.now() - this.#startedAt.getTime()) / 1_000),
      machine: {
        cores: availableParallelism(),
        processor: cpus()[0]?.model ?? '',
        node: process.version,
        load: [this.#loadBefore, loadavg()[0] ?? 0],
      },
      rounds: options.rounds,
      share: options.share,
      ways: field.ways.map(({ name, version, does, lacks }) => ({ name, version, does, lacks })),
      loads: this.#loads.map(({ name, title, unit }) => ({ name, title, unit })),
      against: field.against,
    };
  }

  async #prepare(): Promise<void> {
    const { surroundings, ways } = this.field;
    for (const way of this.#loads.some((load) => load.hasRefusedKey) ? ways : []) {
      const key = await way.refusedKey();
      if (key !== null) this.#keys.set(way.name, key);
    }
    surroundings.progress('Warming up…');
    for (const way of ways) for (const load of WARM_UP) await takeCell(surroundings, load, way, null);
  }

  async #rounds(loads: readonly Load[], from: number): Promise<void> {
    if (loads.length === 0) return;
    const { surroundings, ways } = this.field;
    for (let round = from; round < from + this.options.rounds; round += 1) {
      surroundings.progress(`Round ${round + 1}`);
      for (const load of loads) {
        for (const way of orderOf(waysOf(load, ways, this.#keys), round)) {
          const key = load.hasRefusedKey ? (this.#keys.get(way.name) ?? null) : null;
          this.#cells.push({ round, ...(await takeCell(surroundings, load, way, key)) });
        }
      }
    }
  }

  /** Loads that the gate would stop are run as often again: with many loads, one in a run is dearer by chance. */
  #suspects(): Load[] {
    const { against } = this.field;
    if (against === null) return [];
    const stopped = gateOf({ cells: this.#cells, loads: this.#loads }, 'slipway', against).filter(({ holds }) => !holds);
    return this.#loads.filter(({ name }) => stopped.some(({ load }) => load === name));
  }
}
