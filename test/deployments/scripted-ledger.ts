import { CompareDeployments, type DeploymentFigures, type DeploymentId } from '@slipway/contracts';
import type { NatsConnection, RpcResponder } from '@slipway/platform';
import { answerCalls } from '../services/answer-calls.js';

/** Figures of a deployment with as many requests, all answered alike unless `changes` say otherwise. */
function figuresOf(deployment: DeploymentId, requests: number, changes: Partial<DeploymentFigures> = {}): DeploymentFigures {
  const completed = requests - (changes.errors ?? 0);
  const all = (value: number): [number, number][] => (completed > 0 ? [[value, completed]] : []);
  return { deployment, requests, errors: 0, completed, cut: 0, first_token_ms: all(100), answer_tokens: all(60), ...changes };
}

/** keys-service as far as the guard of rollouts needs it: answers with the figures that the test gave it. */
export class ScriptedLedger {
  /** By deployment; others have no requests. */
  readonly figures = new Map<DeploymentId, DeploymentFigures>();
  /** Questions so far. */
  asked = 0;
  #responder: RpcResponder | null = null;

  private constructor(private readonly nats: NatsConnection) {}

  static async start(nats: NatsConnection): Promise<ScriptedLedger> {
    const ledger = new ScriptedLedger(nats);
    await ledger.resume();
    return ledger;
  }

  set(deployment: DeploymentId, requests: number, changes: Partial<DeploymentFigures> = {}): void {
    this.figures.set(deployment, figuresOf(deployment, requests, changes));
  }

  async resume(): Promise<void> {
    this.#responder = await answerCalls(this.nats, CompareDeployments, ({ deployments }) => {
      this.asked += 1;
      const figures = deployments.map((id) => this.figures.get(id) ?? figuresOf(id, 0));
      return { figures, as_of: new Date().toISOString() };
    });
  }

  /** Answers no more questions. */
  async stop(): Promise<void> {
    await this.#responder?.close();
    this.#responder = null;
  }
}
