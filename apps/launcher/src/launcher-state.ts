import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateJson, writePrivateFile } from './data-dir.js';

const State = z.object({
  /** The key that was shown, without its value. */
  key: z.object({ id: z.int(), hint: z.string() }).optional(),
  /** Sources of earlier command lines, whose deployments stay allowed. */
  model_dirs: z.array(z.string()).default([]),
  model_hosts: z.array(z.string()).default([]),
  engine_hosts: z.array(z.string()).default([]),
  /** The deployment at which the launcher pointed `demo`. If the alias points elsewhere, a person has moved it. */
  demo: z.int().optional(),
  /** Replicas that the launcher set, by deployment id. Another number was set by a person. */
  replicas: z.record(z.string(), z.int()).default({}),
  /** HMAC of a deployment's credential, by deployment id. */
  credentials: z.record(z.string(), z.string()).default({}),
});
export type LauncherState = z.output<typeof State>;

/** State of the launcher between runs, in one file that is replaced atomically. */
export class StateFile {
  #state: LauncherState;

  private constructor(
    private readonly path: string,
    state: LauncherState,
  ) {
    this.#state = state;
  }

  static async open(folder: string): Promise<StateFile> {
    const path = join(folder, 'state.json');
    return new StateFile(path, (await readPrivateJson(path, State)) ?? State.parse({}));
  }

  get state(): LauncherState {
    return this.#state;
  }

  async update(change: Partial<LauncherState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    await writePrivateFile(this.path, JSON.stringify(this.#state));
  }
}
