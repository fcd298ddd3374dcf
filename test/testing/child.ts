import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ANSWER_WITHIN_MS = 120_000;

/** A process of the test that answers questions, as `serve` of `ipc.mjs` makes one. It ends with the test process. */
export class Child {
  private readonly pending = new Map<number, { resolve: (value: unknown) => void; reject: (err: Error) => void }>();
  private asked = 0;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (message: { id?: number; value?: unknown; error?: string }) => {
      const waiting = this.pending.get(message.id ?? 0);
      this.pending.delete(message.id ?? 0);
      if (message.error === undefined) waiting?.resolve(message.value);
      else waiting?.reject(new Error(message.error));
    });
    child.on('exit', () => {
      for (const { reject } of this.pending.values()) reject(new Error('The process ended before it answered.'));
      this.pending.clear();
    });
  }

  /** @param options what the script finds as JSON in its first argument. */
  static async start(script: URL, options: object): Promise<Child> {
    const child = fork(fileURLToPath(script), [JSON.stringify(options)], { execArgv: [] });
    const exited = once(child, 'exit').then(() => Promise.reject(new Error(`${script.pathname} ended before it was ready.`)));
    await Promise.race([once(child, 'message'), exited]);
    exited.catch(() => undefined);
    return new Child(child);
  }

  /** Asks the process; a frozen one answers when it is thawed. */
  async ask<T>(name: string, argument: unknown = null): Promise<T> {
    this.asked += 1;
    const id = this.asked;
    const answer = new Promise<unknown>((resolve, reject) => this.pending.set(id, { resolve, reject }));
    this.child.send({ id, name, argument });
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`"${name}" was not answered in time.`)), ANSWER_WITHIN_MS).unref();
    });
    return (await Promise.race([answer, late])) as T;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Lets a gateway end its streams, if it still lives. */
  async stop(): Promise<void> {
    if (!this.hasEnded) await this.ask('stop');
  }

  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }
}
