import { basename } from 'node:path';
import { EngineLoadError } from '@slipway/engine';
import { createLogger, type Logger, LogThreshold } from '@slipway/platform';
import { readModelFacts } from '../scoring.js';
import { createTrainers } from '../trainers/trainers.js';
import { importAdapter } from '../training/import-adapter.js';
import { measureDataset } from '../training/measure-dataset.js';
import { runTraining } from '../training/run-training.js';
import { StopTraining, type TrainingOutcome, type TrainingSink } from '../training/training-job.js';
import { TrainingFault } from '../training-fault.js';
import type { FromTask, SentOutcome, Task, ToTask } from './job-messages.js';

/**
 * The process of one task, a child of its agent: llama.cpp runs in here, so that a crash of native code costs one task. It ends with
 * its agent, and its trainer ends with it.
 */
export class JobProcess {
  readonly #stop = new AbortController();
  readonly #storing = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  #checkpoints = 0;
  #threshold: LogThreshold | undefined;

  constructor(
    private readonly parent: NodeJS.Process,
    private readonly exit: (code: number) => void,
  ) {}

  /** Begins to listen, and returns at once. */
  run(): void {
    this.parent.on('message', (message) => this.#receive(message as ToTask));
    // Its files stay for nobody: the agent is gone.
    this.parent.on('disconnect', () => this.parent.kill(this.parent.pid, 'SIGKILL'));
    // Ctrl-C in a terminal signals the whole process group; the agent stops its tasks itself.
    this.parent.on('SIGINT', () => undefined);
  }

  #receive(message: ToTask): void {
    if (message.k === 'task') {
      this.#threshold = new LogThreshold(message.logLevel);
      void this.#do(message.task, createLogger('training-job', this.#threshold));
    }
    if (message.k === 'log level') this.#threshold?.change(message.level, () => undefined);
    if (message.k === 'stop') this.#stop.abort(new StopTraining(message.how));
    if (message.k !== 'stored') return;
    const waiting = this.#storing.get(message.no);
    this.#storing.delete(message.no);
    if (message.ok) waiting?.resolve();
    else waiting?.reject(new Error('The checkpoint could not be stored.'));
  }

  async #do(task: Task, log: Logger): Promise<void> {
    try {
      await this.#run(task, log);
    } catch (error) {
      const known = error instanceof TrainingFault ? error : null;
      if (known) log.warn({ task: task.k, code: known.code, detail: known.message }, 'training.task_refused');
      else log.error({ err: error, task: task.k }, 'training.task_failed');
      const fault = known ?? new TrainingFault('trainer_failed', 'The task failed on the worker; its log says why.');
      this.#send({ k: 'outcome', outcome: { state: 'failed', code: fault.code, message: fault.message } });
    }
    this.parent.removeAllListeners('disconnect');
    this.exit(0);
  }

  async #run(task: Task, log: Logger): Promise<void> {
    if (task.k === 'describe') return this.#describe(task.path, log);
    if (task.k === 'measure')
      return this.#send({ k: 'measured', measure: await measureDataset({ ...task, log, signal: this.#stop.signal }) });
    if (task.k === 'import')
      return this.#send({ k: 'imported', adapter: await importAdapter(task.adapter, { log, signal: this.#stop.signal }) });
    const trainer = (await createTrainers(task.trainers, log)).get(task.job.trainer);
    if (!trainer) throw new TrainingFault('trainer_unavailable', `This worker has no trainer "${task.job.trainer}".`);
    const outcome = await runTraining({ ...task.job, trainer }, { sink: this.#sink(), signal: this.#stop.signal, log });
    return this.#send({ k: 'outcome', outcome: sent(outcome) });
  }

  async #describe(path: string, log: Logger): Promise<void> {
    try {
      this.#send({ k: 'described', facts: await readModelFacts(path) });
    } catch (error) {
      if (!(error instanceof EngineLoadError)) throw error;
      log.warn({ file: basename(path), reason: error.reason }, 'bases.unreadable');
      this.#send({ k: 'described', facts: null });
    }
  }

  #sink(): TrainingSink {
    return {
      state: (state, progress) => this.#send({ k: 'state', state, progress }),
      plan: (plan) => this.#send({ k: 'plan', ...plan }),
      point: (point) => this.#send({ k: 'point', point }),
      event: (event) => this.#send({ k: 'event', event }),
      samples: (samples) => this.#send({ k: 'samples', samples }),
      log: (line) => this.#send({ k: 'log', line }),
      checkpoint: (checkpoint) => {
        const no = (this.#checkpoints += 1);
        this.#send({ k: 'checkpoint', no, checkpoint });
        return new Promise((resolve, reject) => this.#storing.set(no, { resolve, reject }));
      },
    };
  }

  #send(message: FromTask): void {
    // The agent may end at any moment; this process then ends, too.
    if (this.parent.connected) this.parent.send?.(message, undefined, undefined, () => undefined);
  }
}

function sent(outcome: TrainingOutcome): SentOutcome {
  if (outcome.state !== 'failed') return outcome;
  const { code, message } = outcome.fault;
  return { state: 'failed', code, message };
}
