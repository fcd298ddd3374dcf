import { Injectable } from '@nestjs/common';
import { type DeploymentId, FindDeployment, type Grader, isServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { shuffledOrder } from '@slipway/datasets';
import { RpcClient } from '@slipway/platform';
import { actorOf } from '../actor-columns.js';
import { InstallationSecrets } from '../blobs/installation-secrets.js';
import { VersionsRepository } from '../datasets/versions.repository.js';
import { ExampleTexts } from '../examples/example-texts.js';
import { type AnswerRow, AnswersRepository, type ItemRow } from './answers.repository.js';
import { comparedDeployment } from './compared-deployment.js';
import { type Conversation, conversationOf, promptText, spokenText } from './conversation.js';
import type { EvaluationRow } from './evaluation-rows.js';
import { EvaluationsRepository } from './evaluations.repository.js';
import { GatewayClient } from './gateway-client.js';
import type { Answer } from './grade.js';
import { Grading } from './grading.js';
import { judgeRequest, readVerdict } from './judge.js';
import { EvaluationFailed, PatientCalls } from './patient-calls.js';
import { resultsOf } from './results.js';

/** Questions of one evaluation that are asked at one time. */
const AT_ONCE = 4;
/** An answer may take twice as many tokens as its longest reference has bytes: about eight times as many as that has tokens. */
const TOKENS_A_BYTE = 2;
const [TOKENS_LEAST, TOKENS_MOST] = [64, 4_096];

/** The judge of an evaluation, with its place among the graders. */
type Judge = Extract<Grader, { kind: 'judge' }> & { readonly place: number };

/** A run: what is evaluated, and what ends it. */
interface Run {
  readonly row: EvaluationRow;
  readonly calls: PatientCalls;
  readonly items: ReadonlyMap<number, Conversation>;
  readonly signal: AbortSignal;
}

/** Runs evaluations. Everything is stored as it comes, so a run that was broken off goes on where it was. */
@Injectable()
export class EvaluationRun {
  // oxlint-disable-next-line slipway/max-params -- a run reads examples, asks, grades, seals and stores
  constructor(
    private readonly transactions: Transactions,
    private readonly evaluations: EvaluationsRepository,
    private readonly answers: AnswersRepository,
    private readonly versions: VersionsRepository,
    private readonly texts: ExampleTexts,
    private readonly secrets: InstallationSecrets,
    private readonly gateway: GatewayClient,
    private readonly grading: Grading,
    private readonly rpc: RpcClient,
  ) {}

  /** Runs one to its end. @throws what `signal` is aborted with, and while a database or service is away */
  async run(row: EvaluationRow, signal: AbortSignal): Promise<void> {
    if (!(await this.transactions.run((tx) => this.evaluations.begin(tx, row.id)))) return;
    try {
      const run = { row, items: await this.#prepare(row), calls: this.#callsOf(row, signal), signal };
      if (run.items.size === 0) throw new EvaluationFailed('no_items', 'The version holds no conversation that can be asked.');
      await this.#ask(run);
      await this.#judge(run);
      await this.#finish(row);
    } catch (error) {
      if (!(error instanceof EvaluationFailed)) throw error;
      await this.#summarise(row);
      const { reason, message: detail } = error;
      await this.transactions.run((tx) => this.evaluations.end(tx, row.id, { state: 'failed', reason, detail }));
    }
  }

  #callsOf({ id, reason }: EvaluationRow, signal: AbortSignal): PatientCalls {
    let isWaiting = reason === 'waiting';
    const note = (change: { reason: string | null; detail: string | null }): void => {
      // Only said for people: the next change says it again where this one is lost.
      void this.transactions.run((tx) => this.evaluations.change(tx, id, change)).catch(() => undefined);
    };
    const listener = {
      waits: (code: string): void => {
        if (!isWaiting) note({ reason: 'waiting', detail: `Nothing answers for now (${code}). It goes on as soon as something does.` });
        isWaiting = true;
      },
      goesOn: (): void => {
        if (isWaiting) note({ reason: null, detail: null });
        isWaiting = false;
      },
    };
    return new PatientCalls(this.gateway, listener, signal);
  }

  /** Stores the conversations, once, and reads them. */
  async #prepare(row: EvaluationRow): Promise<Map<number, Conversation>> {
    let stored = await this.transactions.read((connection) => this.answers.items(connection, row.id));
    if (stored.length === 0) {
      const items = await this.#sample(row);
      await this.transactions.run(async (tx) => {
        await this.answers.addItems(tx, row.id, items);
        await this.evaluations.change(tx, row.id, { items: items.length, judge_calls: judgeCalls(row, items.length) });
      });
      stored = await this.transactions.read((connection) => this.answers.items(connection, row.id));
    }
    const open = ({ content }: ItemRow): Conversation => JSON.parse(this.secrets.openText(row.account, content)) as Conversation;
    return new Map(stored.map((item) => [item.n, open(item)]));
  }

  /** Examples of the version in the order of the seed, those alone that ask something. */
  async #sample({ account, dataset_id: dataset, version, sample, seed }: EvaluationRow): Promise<ItemRow[]> {
    const found = await this.transactions.read((connection) => this.versions.find(connection, { dataset, version }));
    if (found?.state !== 'ready') return [];
    const items: ItemRow[] = [];
    for (const place of shuffledOrder(found.examples, seed)) {
      if (items.length === sample) break;
      const example = place + 1;
      const [record] = await this.texts.records(found, account, example, example);
      const conversation = record && conversationOf(await this.texts.text(found, account, record));
      if (conversation) {
        const content = this.secrets.sealText(account, JSON.stringify(conversation));
        items.push({ n: items.length + 1, example, content });
      }
    }
    return items;
  }

  async #ask(run: Run): Promise<void> {
    const { row, items, signal } = run;
    const known = await this.transactions.read((connection) => this.answers.scores(connection, row.id));
    const has = new Set(known.map(({ n, place }) => `${n}/${place}`));
    const longest = Math.max(...[...items.values()].map(({ reference }) => Buffer.byteLength(spokenText(reference))));
    const maxTokens = Math.min(TOKENS_MOST, Math.max(TOKENS_LEAST, TOKENS_A_BYTE * longest));
    const missing = [...items.keys()].flatMap((n) =>
      row.deployments.flatMap(({ deployment }, place) => (has.has(`${n}/${place}`) ? [] : [{ n, place, deployment }])),
    );
    await inParallel(missing, signal, (each) => this.#answer(run, each, maxTokens));
  }

  async #answer(
    { row, items, calls }: Run,
    { n, place, deployment }: { n: number; place: number; deployment: DeploymentId },
    maxTokens: number,
  ): Promise<void> {
    const conversation = items.get(n);
    if (!conversation) return;
    const { account } = row;
    const told = await calls.ask({ account, actor: actorOf(row), deployment, body: { ...conversation.request, max_tokens: maxTokens } });
    const answer = 'answer' in told ? told.answer : null;
    const stored: AnswerRow = {
      ...{ n, place, ms: told.ms, error: 'error' in told ? told.error : null },
      content: answer && this.secrets.sealText(account, JSON.stringify(answer)),
      passed: answer
        ? await this.grading.grades(row.graders, answer, conversation.reference)
        : row.graders.map(({ kind }) => (kind === 'judge' || kind === 'people' ? null : false)),
    };
    await this.transactions.run((tx) => this.answers.addAnswer(tx, row.id, stored));
  }

  /** Every judge compares every answer with the baseline's, in both orders. Equal answers are a tie, and cost no call. */
  async #judge(run: Run): Promise<void> {
    const { row, signal } = run;
    const judges = row.graders.flatMap((grader, place): Judge[] => (grader.kind === 'judge' ? [{ ...grader, place }] : []));
    if (judges.length === 0) return;
    const [stored, known] = await this.transactions.read(async (connection) => [
      await this.answers.answers(connection, row.id),
      await this.answers.judgements(connection, row.id),
    ]);
    const has = new Set(known.map(({ grader, n, place, turn }) => `${grader}/${n}/${place}/${turn}`));
    const texts = new Map(stored.map((each) => [`${each.n}/${each.place}`, this.#text(row, each)]));
    const missing = judges.flatMap((judge) =>
      stored.flatMap(({ n, place }) =>
        [0, 1].flatMap((turn) => (place === 0 || has.has(`${judge.place}/${n}/${place}/${turn}`) ? [] : [{ judge, n, place, turn }])),
      ),
    );
    await inParallel(missing, signal, async ({ judge, n, place, turn }) => {
      const pair = { baseline: texts.get(`${n}/0`) ?? '', candidate: texts.get(`${n}/${place}`) ?? '' };
      const verdict = pair.baseline === pair.candidate ? 'tie' : await this.#verdict(run, judge, { n, turn, ...pair });
      await this.transactions.run((tx) => this.answers.addJudgement(tx, row.id, { grader: judge.place, n, place, turn, verdict }));
    });
  }

  async #verdict(
    { row, items, calls }: Run,
    { rubric, deployment }: Judge,
    { n, turn, ...pair }: { n: number; turn: number; baseline: string; candidate: string },
  ): Promise<ReturnType<typeof readVerdict>> {
    const conversation = items.get(n);
    if (!conversation) return 'unread';
    const shown = { prompt: promptText(conversation), reference: spokenText(conversation.reference) };
    const body = judgeRequest({ rubric, ...shown, ...pair, turn });
    const told = await calls.ask({ account: row.account, actor: actorOf(row), deployment, body });
    return 'answer' in told ? readVerdict(told.answer.text, turn) : 'unread';
  }

  #text({ account }: EvaluationRow, { content }: AnswerRow): string {
    return content === null ? '' : spokenText(JSON.parse(this.secrets.openText(account, content)) as Answer);
  }

  async #finish(row: EvaluationRow): Promise<void> {
    const deployments = await Promise.all(
      row.deployments.map(async (compared) => ({ ...compared, has_changed: await this.#hasChanged(row, compared) })),
    );
    await this.transactions.run((tx) => this.evaluations.change(tx, row.id, { deployments }));
    await this.#summarise(row);
    await this.transactions.run((tx) => this.evaluations.end(tx, row.id, { state: 'succeeded' }));
  }

  async #hasChanged({ account }: EvaluationRow, { deployment, revision }: EvaluationRow['deployments'][number]): Promise<boolean> {
    try {
      return comparedDeployment(await this.rpc.call(FindDeployment, { account, deployment })).revision !== revision;
    } catch (error) {
      if (isServiceError(error) && error.code === 'deployment_not_found') return true;
      throw error;
    }
  }

  /** Stores the results so far, which lists and gates read. */
  async #summarise(row: EvaluationRow): Promise<void> {
    await this.transactions.run(async (tx) => {
      const [answers, judgements] = [await this.answers.scores(tx, row.id), await this.answers.judgements(tx, row.id)];
      await this.evaluations.change(tx, row.id, { summary: resultsOf(row, { answers, judgements, votes: [] }) });
    });
  }
}

/** Calls that the judges of an evaluation take at most. */
export const judgeCalls = ({ graders, deployments }: Pick<EvaluationRow, 'graders' | 'deployments'>, items: number): number =>
  2 * items * (deployments.length - 1) * graders.filter(({ kind }) => kind === 'judge').length;

/** Works on all of them, a few at one time. The first failure ends the rest. */
async function inParallel<T>(all: readonly T[], signal: AbortSignal, work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const one of left) {
      if (hasFailed) return;
      signal.throwIfAborted();
      await work(one).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
