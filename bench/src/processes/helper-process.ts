import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ANSWER_WITHIN_MS = 10_000;

interface Reply {
  readonly id: number;
  readonly error?: string;
}

/** A process of the benchmark's own, beside the one that measures: it ends when this process does. */
export class HelperProcess {
  readonly #open = new Map<number, { resolve: (reply: never) => void; reject: (error: Error) => void }>();
  #questions = 0;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (reply: Reply) => this.#settle(reply));
    child.on('exit', () => {
      for (const { reject } of this.#open.values()) reject(new Error('A process of the benchmark ended.'));
    });
  }

  /** Starts a script of the benchmark, by its path in `src`. @returns it, and the first message that it sends. */
  static async start<First>(script: string): Promise<{ helper: HelperProcess; first: First }> {
    const child = fork(fileURLToPath(new URL(`../${script}`, import.meta.url)), {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [first] = (await once(child, 'message')) as [First];
    return { helper: new HelperProcess(child), first };
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /**
   * Asks something; one message answers it.
   * @throws when none comes within the time
   */
  async ask<Answer>(question: object = {}, withinMs = ANSWER_WITHIN_MS): Promise<Answer> {
    this.#questions += 1;
    const id = this.#questions;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Answer>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`A process of the benchmark did not answer within ${withinMs / 1_000} s.`)), withinMs);
        this.#open.set(id, { resolve, reject });
        this.child.send({ ...question, id });
      });
    } finally {
      clearTimeout(timer);
      this.#open.delete(id);
    }
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }

  #settle(reply: Reply): void {
    const waiting = this.#open.get(reply.id);
    this.#open.delete(reply.id);
    if (reply.error === undefined) waiting?.resolve(reply as never);
    else waiting?.reject(new Error(reply.error));
  }
}
