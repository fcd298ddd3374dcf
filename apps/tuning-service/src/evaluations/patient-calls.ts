import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './grade.js';
import { GatewayClient, type Question } from './gateway-client.js';

/** How often an answer that breaks off is asked for again. */
const BROKEN_MAX = 5;
const PAUSE_FIRST_MS = 500;
const PAUSE_MOST_MS = 30_000;
/** How long an evaluation waits for deployments that answer nothing, in milliseconds. */
const GIVE_UP_MS = 3_600_000;

/** Refusals after which no other question would be answered either. */
const FATAL: Readonly<Record<string, 'deployment_stopped' | 'deployment_not_found' | 'refused'>> = {
  deployment_stopped: 'deployment_stopped',
  model_not_found: 'deployment_not_found',
  insufficient_scope: 'refused',
  account_suspended: 'refused',
};

/** Why an evaluation ends without all of its answers. */
export class EvaluationFailed extends Error {
  constructor(
    readonly reason: 'unavailable' | 'deployment_stopped' | 'deployment_not_found' | 'refused' | 'no_items',
    message: string,
  ) {
    super(message);
    this.name = 'EvaluationFailed';
  }
}

/** What a question came to in the end. */
export type Told = { readonly answer: Answer; readonly ms: number } | { readonly error: string; readonly ms: number };

/** Is told when nothing is answered for now, and when something is again. */
export interface WaitListener {
  waits(code: string): void;
  goesOn(): void;
}

/** Asks until there is an answer: through overload, restarts and the absence of gateways. Of one evaluation. */
export class PatientCalls {
  #lastAnswer = performance.now();
  #refusals = 0;

  constructor(
    private readonly gateway: GatewayClient,
    private readonly listener: WaitListener,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws EvaluationFailed; what the signal is aborted with */
  async ask(question: Question): Promise<Told> {
    let pauseMs = PAUSE_FIRST_MS;
    for (let broken = 0; ;) {
      const begun = performance.now();
      const asked = await this.gateway.ask(question, this.signal);
      const ms = Math.round(performance.now() - begun);
      if (asked.kind === 'answer') {
        this.#answered();
        return { answer: asked.answer, ms };
      }
      if (asked.kind === 'refused' && asked.code !== 'invalid_api_key') return this.#refused(asked.code, question, ms);
      if (asked.kind === 'refused' && (this.#refusals += 1) > BROKEN_MAX)
        throw new EvaluationFailed('refused', 'The gateway refuses the key of evaluations.');
      if (asked.kind === 'later' && !asked.isBusy && (broken += 1) > BROKEN_MAX) {
        this.#answered();
        return { error: asked.code, ms };
      }
      await this.#pause(asked.code, (asked.kind === 'later' ? asked.afterMs : null) ?? pauseMs);
      pauseMs = Math.min(pauseMs * 2, PAUSE_MOST_MS);
    }
  }

  #answered(): void {
    this.#lastAnswer = performance.now();
    this.#refusals = 0;
    this.listener.goesOn();
  }

  #refused(code: string, { deployment }: Question, ms: number): Told {
    const fatal = FATAL[code];
    if (fatal !== undefined) throw new EvaluationFailed(fatal, `deployment-${deployment} answers ${code}.`);
    this.#answered();
    return { error: code, ms };
  }

  async #pause(code: string, ms: number): Promise<void> {
    if (performance.now() - this.#lastAnswer > GIVE_UP_MS)
      throw new EvaluationFailed('unavailable', `Nothing was answered for an hour: ${code}.`);
    this.listener.waits(code);
    await delay(ms, undefined, { signal: this.signal });
  }
}
