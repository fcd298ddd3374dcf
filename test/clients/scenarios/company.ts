import { afterAll, beforeAll } from 'vitest';
import type { ClientPackages } from '../stage/client-packages.js';
import type { Job, Sight } from '../stage/client-process.js';
import { type Backend, ClientStage, type Naming } from '../stage/client-stage.js';
import { type ClientKind, ClientTroupe } from '../stage/clients.js';

/** Who plays before whom. */
export interface Casting {
  readonly kinds: readonly ClientKind[];
  readonly backends: readonly Backend[];
  readonly packages: () => Promise<ClientPackages>;
  /** Bounds everything that has to be brought first. */
  readonly startMs?: number;
}

const START_MS = 900_000;

/** A job without the parts that come from the stage. */
export type Part = Pick<Job, 'act' | 'text'> & Partial<Job>;

/** The stage and the clients of one test file, which its scenarios share. */
export class Company {
  #stage: ClientStage | undefined;
  #troupe: ClientTroupe | undefined;
  #packages: ClientPackages | undefined;

  /** Starts and ends everything with the tests of the file. */
  constructor(readonly casting: Casting) {
    beforeAll(async () => {
      this.#packages = await casting.packages();
      this.#stage = await ClientStage.start(casting.backends);
      this.#troupe = await ClientTroupe.start(this.#packages, casting.kinds);
    }, casting.startMs ?? START_MS);
    afterAll(async () => {
      await this.#troupe?.end();
      await this.#stage?.end();
    });
  }

  get stage(): ClientStage {
    if (!this.#stage) throw new Error('The stage stands only while tests run.');
    return this.#stage;
  }

  get packages(): ClientPackages {
    if (!this.#packages) throw new Error('The clients are installed when the tests run.');
    return this.#packages;
  }

  get troupe(): ClientTroupe {
    if (!this.#troupe) throw new Error('The clients run only while tests run.');
    return this.#troupe;
  }

  /** What a client sees of a deployment. */
  saw(kind: ClientKind, part: Part, backend: Backend, naming: Naming = 'slug'): Promise<Sight> {
    return this.troupe.of(kind).do({ ...this.stage.at(backend, naming), ...part });
  }
}
