/** Who wants which model: for as long as somebody's signal has not aborted, the model is in use. */
export class ModelUses {
  readonly #users = new Map<string, Set<AbortSignal>>();

  /** @param unused is told when the last user of a model is gone. */
  constructor(private readonly unused: (digest: string) => void) {}

  /** Repeating it is harmless. */
  add(digest: string, signal: AbortSignal): void {
    const users = this.#users.get(digest) ?? new Set();
    this.#users.set(digest, users);
    if (users.has(signal)) return;
    users.add(signal);
    signal.addEventListener('abort', () => this.#remove(digest, signal), { once: true });
  }

  has(digest: string): boolean {
    return this.#users.has(digest);
  }

  digests(): string[] {
    return [...this.#users.keys()];
  }

  #remove(digest: string, signal: AbortSignal): void {
    const users = this.#users.get(digest);
    if (!users?.delete(signal) || users.size > 0) return;
    this.#users.delete(digest);
    this.unused(digest);
  }
}
