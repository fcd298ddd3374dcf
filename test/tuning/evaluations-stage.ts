import { randomBytes } from 'node:crypto';
import {
  type AccountId,
  CreateEvaluation,
  CreateSuite,
  type DeploymentId,
  type EvaluationId,
  type EvaluationView,
  FindDeployment,
  FindEvaluation,
  type Grader,
  OpenEvaluationKey,
  parseDeploymentSlug,
  ServiceError,
  type SuiteId,
} from '@slipway/contracts';
import { jsonAnswer, ScriptedUpstream, type UpstreamRequest, type UpstreamScript } from '@slipway/testing';
import type { z } from 'zod';
import { answerCalls } from '../services/answer-calls.js';
import { until } from '../testing/until.js';
import { checked, uploadFile } from './bytes.js';
import { anAccount, type TuningRig } from './rig.js';

/** A chat request as the gateway got it. */
export interface ChatBody {
  readonly model: string;
  readonly temperature: number;
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: unknown;
}

/** What a deployment says: its text, a whole message, or a failure. */
export type Said = string | { readonly message: object; readonly finish?: string } | UpstreamScript;

/** Keys in the form that contracts ask for. */
const KEY = `svc_dep_${'0'.repeat(49)}`;

const completion = (message: object, finish = 'stop'): UpstreamScript =>
  jsonAnswer(200, { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }] });

/** A refusal as the gateway answers it. */
export const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): UpstreamScript =>
  jsonAnswer(status, { error: { message: code, type: 'x', code } }, headers);

/** tuning-service with a gateway whose deployments say what tests want, and what it asks of keys-service and deployments-service. */
export class EvaluationsStage {
  /** Answers by deployment. */
  readonly say = new Map<number, (body: ChatBody) => Said>();
  /** Adapters and revisions of deployments. */
  readonly deployments = new Map<number, { rev: number; adapter: { id: number; name: string; version: number } | null }>();
  gateway!: ScriptedUpstream;

  private constructor(
    readonly rig: TuningRig,
    private readonly hasKeysService: boolean,
  ) {}

  /** @param hasKeysService whether a real one gives out the keys, which the gateway then takes unseen */
  static async open(rig: TuningRig, { hasKeysService = false } = {}): Promise<EvaluationsStage> {
    const stage = new EvaluationsStage(rig, hasKeysService);
    await stage.startGateway();
    if (!hasKeysService) await stage.#giveKeys();
    await answerCalls(await rig.connect('deployments'), FindDeployment, ({ deployment }) => stage.#found(deployment));
    return stage;
  }

  /** Beside services and a gateway of which all are real. */
  static besides(rig: TuningRig): EvaluationsStage {
    return new EvaluationsStage(rig, true);
  }

  async #giveKeys(): Promise<void> {
    const open = () => ({ key: 7, value: KEY, expires_at: new Date(Date.now() + 600_000).toISOString() });
    await answerCalls(await this.rig.connect('keys'), OpenEvaluationKey, open);
  }

  /** Starts the gateway, or starts it again at the same port. */
  async startGateway(port = 0): Promise<void> {
    this.gateway = await ScriptedUpstream.start((request) => this.#answer(request), { port });
  }

  get settings(): Readonly<Record<string, string>> {
    return { GATEWAY_URL: this.gateway.url };
  }

  /** Chat requests so far, each as `deployment text of its last message`. */
  get asked(): ChatBody[] {
    return this.gateway.requests.map(({ body }) => body as ChatBody);
  }

  async close(): Promise<void> {
    await this.gateway.stop();
  }

  /** An account with a data set of these lines. */
  async dataset(lines: readonly object[], account: AccountId = anAccount()) {
    const name = `d-${randomBytes(4).toString('hex')}`;
    const dataset = await this.rig.createDataset(account, name);
    const version = await uploadFile(this.rig, { account, dataset, text: lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
    await checked(this.rig, account, dataset, version);
    return { account, dataset };
  }

  async suite(given: { account: AccountId; dataset: number }, graders: readonly Grader[], more: object = {}): Promise<SuiteId> {
    const name = `s-${randomBytes(4).toString('hex')}`;
    const request = { name, ...given, dataset: given.dataset as never, graders: [...graders], ...more };
    return (await this.rig.ask(CreateSuite, request)).suite;
  }

  async evaluation(account: AccountId, suite: SuiteId, deployments: readonly number[]): Promise<EvaluationId> {
    return (await this.rig.ask(CreateEvaluation, { account, suite, deployments: deployments as DeploymentId[] })).evaluation;
  }

  async view(account: AccountId, evaluation: EvaluationId): Promise<EvaluationView> {
    return (await this.rig.ask(FindEvaluation, { account, evaluation })).evaluation;
  }

  seen(account: AccountId, evaluation: EvaluationId, what: string, isSeen: (view: EvaluationView) => boolean): Promise<EvaluationView> {
    const probe = async (): Promise<EvaluationView | null> => {
      const view = await this.view(account, evaluation);
      return isSeen(view) ? view : null;
    };
    return until(`evaluation ${evaluation} ${what}`, probe, 60_000, 50);
  }

  ended(account: AccountId, evaluation: EvaluationId): Promise<EvaluationView> {
    return this.seen(account, evaluation, 'is over', ({ state }) => state !== 'queued' && state !== 'running');
  }

  /** Runs a suite over deployments to its end. */
  async run(account: AccountId, suite: SuiteId, deployments: readonly number[]): Promise<EvaluationView> {
    return this.ended(account, await this.evaluation(account, suite, deployments));
  }

  #answer({ body, headers }: UpstreamRequest): UpstreamScript {
    const chat = body as ChatBody;
    if (!this.hasKeysService && headers['authorization'] !== `Bearer ${KEY}`) return refusal(401, 'invalid_api_key');
    const said = this.say.get(parseDeploymentSlug(chat.model) ?? 0)?.(chat) ?? refusal(404, 'model_not_found');
    if (typeof said === 'string') return completion({ role: 'assistant', content: said });
    return 'message' in said ? completion(said.message, said.finish) : said;
  }

  #found(id: DeploymentId): z.input<typeof FindDeployment.reply> {
    const known = this.deployments.get(id);
    if (!known) throw new ServiceError('deployment_not_found', 'This account has no such deployment.', { param: 'deployment' });
    const adapter = known.adapter && ({ ...known.adapter, sha256: 'ab'.repeat(32) } as never);
    const at = new Date().toISOString();
    return {
      deployment: {
        ...{ id, name: `d${id}`, aliases: [], source: { kind: 'file', path: '/models/a.gguf' }, adapter, desired: 'ready', state: 'ready' },
        ...{ reason: null, detail: null, progress: null, rev: known.rev, serving_rev: known.rev, replicas: 1, ready_replicas: 1 },
        ...{ created_at: at, since: at, caps: [], context: 4_096 },
      },
      revisions: [],
      running: [],
    };
  }
}

/** A line of a training file: a question and its answer. */
export const line = (question: string, answer: string, more: object = {}): object => ({
  messages: [
    { role: 'user', content: question },
    { role: 'assistant', content: answer, ...more },
  ],
});

/** The last message of a chat request. */
export const lastOf = ({ messages }: ChatBody): string => messages.at(-1)?.content ?? '';
