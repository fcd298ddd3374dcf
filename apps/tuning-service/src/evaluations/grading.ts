import { Worker } from 'node:worker_threads';
import { Injectable } from '@nestjs/common';
import { type Grader, ServiceError } from '@slipway/contracts';
import type { Spoken } from './conversation.js';
import { type Answer, grade, type ThreadGrader } from './grade.js';
import type { GradingTask } from './grading-thread.js';

const THREAD = new URL('./grading-thread.js', import.meta.url);
/** Most processor time that an expression or a schema may take for one answer, in milliseconds. */
const WITHIN_MS = 1_000;
/** The first task of a thread also starts it. */
const START_MS = 10_000;
/** Longest that a task may wait for its processor time, in milliseconds. */
const STARVED_MS = 60_000;
/** Least time between two looks at what a task has taken, in milliseconds. */
const LOOK_MS = 50;

type Grade = { readonly passed: boolean } | { readonly fault: string };

const isThreadGrader = (grader: Grader): grader is ThreadGrader => grader.kind === 'regex' || grader.kind === 'json_schema';

/**
 * Grades answers. Expressions and schemas of tenants may need exponential time, so they run in a thread, one task at a time, which is
 * ended when a task takes longer than a second: its answer fails. On a machine without spare processor time a task is given longer:
 * the thread cannot have taken more of it than the process.
 */
@Injectable()
export class Grading {
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #settle: (result: Grade | null) => void = () => undefined;

  /** Which graders an answer passes; null for those that compare answers. */
  async grades(graders: readonly Grader[], answer: Answer, reference: Spoken): Promise<(boolean | null)[]> {
    const passed: (boolean | null)[] = [];
    for (const grader of graders) {
      if (grader.kind === 'judge' || grader.kind === 'people') passed.push(null);
      else if (isThreadGrader(grader)) passed.push(isPassed(await this.#inThread({ grader, text: answer.text })));
      else passed.push(grade(grader, answer, reference));
    }
    return passed;
  }

  /** @throws ServiceError `invalid_request` for an expression or a schema that is none */
  async require(graders: readonly Grader[]): Promise<void> {
    for (const [i, grader] of graders.entries()) {
      if (!isThreadGrader(grader)) continue;
      const result = await this.#inThread({ grader, text: null });
      if (isPassed(result)) continue;
      const why = result !== null && 'fault' in result ? result.fault : 'it takes too long';
      const what = grader.kind === 'regex' ? 'no regular expression' : 'no JSON schema that can be checked';
      throw new ServiceError('invalid_request', `Grader ${i + 1} holds ${what}: ${why}.`, { param: `graders[${i}]` });
    }
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    this.#ended(worker);
    await worker.terminate();
  }

  start(): void {
    // The thread starts with its first task.
  }

  #inThread(task: GradingTask): Promise<Grade | null> {
    const next = this.#last.then(() => this.#run(task));
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Null = it took too long, or the thread died of it. */
  #run(task: GradingTask): Promise<Grade | null> {
    const within = this.#worker === null ? START_MS : WITHIN_MS;
    const worker = (this.#worker ??= this.#started());
    return new Promise((resolve) => {
      const begun = { at: performance.now(), cpu: process.cpuUsage() };
      const look = (): void => {
        const left = within - millisecondsOf(process.cpuUsage(begun.cpu));
        if (left <= 0 || performance.now() - begun.at >= STARVED_MS) this.#ended(worker);
        else timer = setTimeout(look, Math.max(left, LOOK_MS));
      };
      let timer = setTimeout(look, within);
      this.#settle = (result) => {
        clearTimeout(timer);
        resolve(result);
      };
      worker.postMessage(task);
    });
  }

  #started(): Worker {
    const worker = new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: 128 } });
    worker.on('message', (result: Grade) => this.#settle(result));
    worker.on('error', () => this.#ended(worker));
    worker.on('exit', () => this.#ended(worker));
    worker.unref();
    return worker;
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#settle(null);
    void worker.terminate();
  }
}

const millisecondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;
const isPassed = (result: Grade | null): boolean => result !== null && 'passed' in result && result.passed;
