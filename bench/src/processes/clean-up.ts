/** What has to be undone, whatever happens: the newest first, each once, and none keeps the others from it. */
export class CleanUp {
  #steps: (() => unknown)[] = [];
  #running: Promise<void> | null = null;

  /** A step that is added once everything is being undone is done at once. */
  add(step: () => unknown): void {
    if (this.#running) void this.#one(step);
    else this.#steps.push(step);
  }

  run(): Promise<void> {
    this.#running ??= this.#all();
    return this.#running;
  }

  async #all(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await this.#one(step);
  }

  async #one(step: () => unknown): Promise<void> {
    try {
      await step();
    } catch (error) {
      process.stderr.write(`Cleaning up: ${String(error)}\n`);
    }
  }
}
