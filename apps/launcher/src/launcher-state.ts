import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateJson, writePrivateFile } from './private-files.js';

const State = z.object({
  /** The key that was shown; absent until it was. Never its value. */
  key: z.object({ id: z.int(), hint: z.string() }).optional(),
  /** What command lines named so far: deployments made from it stay allowed. */
  model_dirs: z.array(z.string()).default([]),
  model_hosts: z.array(z.string()).default([]),
  engine_hosts: z.array(z.string()).default([]),
  /** The deployment at which the launcher pointed `demo`: one at which a person pointed it is left there. */
  demo: z.int().optional(),
  /** Replicas that the launcher gave a deployment, by its id: what a person made of them is left. */
  replicas: z.record(z.string(), z.int()).default({}),
  /** HMAC of the credential that a deployment was made with, by deployment id. */
  credentials: z.record(z.string(), z.string()).default({}),
});
export type LauncherState = z.output<typeof State>;

/** What the launcher remembers between runs, in one file that is replaced whole. */
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
