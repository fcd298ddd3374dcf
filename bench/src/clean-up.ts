/** What has to be undone, whatever happens: the newest first, each once, and none keeps the others from it. */
export class CleanUp {
  #steps: (() => unknown)[] = [];
  #running: Promise<void> | null = null;

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  run(): Promise<void> {
    this.#running ??= this.#all();
    return this.#running;
  }

  async #all(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        process.stderr.write(`Cleaning up: ${String(error)}\n`);
      }
    }
  }
}
