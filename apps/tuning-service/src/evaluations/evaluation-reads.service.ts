import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type EvaluationId,
  type ReadBlindPairs,
  type ReadEvaluationItems,
  ServiceError,
  type VoteEvaluationItem,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog } from '@slipway/database';
import { fitting } from '@slipway/platform';
import type { z } from 'zod';
import { InstallationSecrets } from '../blobs/installation-secrets.js';
import { requireRead } from '../datasets/dataset-access.js';
import { type AnswerRow, AnswersRepository, type ItemRow, type VoteRow } from './answers.repository.js';
import { type Conversation, promptText, spokenText } from './conversation.js';
import type { EvaluationRow } from './evaluation-rows.js';
import { EvaluationsRepository } from './evaluations.repository.js';
import { evaluationNotFound } from './evaluations.service.js';
import type { Answer } from './grade.js';
import { orderedItems, type ReadItem } from './item-order.js';
import { preferences } from './results.js';

/** Longest shown text, in characters. */
const SHOWN_CHARS = 4_000;
const [ITEMS_PAGE, PAIRS_PAGE] = [20, 5];

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** A pair that people may vote on, by its number and the place of its deployment. */
interface Pair {
  readonly n: number;
  readonly place: number;
}

/** Reads answers side by side and blind, and takes votes. */
@Injectable()
export class EvaluationReadsService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly evaluations: EvaluationsRepository,
    private readonly answers: AnswersRepository,
    private readonly secrets: InstallationSecrets,
    private readonly audit: AuditLog,
  ) {}

  async items(request: Request<typeof ReadEvaluationItems>): Reply<typeof ReadEvaluationItems> {
    const { account, evaluation, actor, after = 0, limit = ITEMS_PAGE } = request;
    const { row, items } = await this.#read(request);
    const ordered = orderedItems(row, items, request);
    const page = fitting(ordered.slice(after, after + limit).map((item) => itemView(row, item)));
    if (actor?.kind === 'key') {
      const facts = { after, items: page.length };
      const object = { object: `evaluation:${evaluation}`, objectName: row.suite_name };
      // What an agent reads leaves the installation, so it stands in the audit log before it is answered.
      await this.transactions.run(request, (tx) =>
        this.audit.record(tx, { account, actor, action: 'evaluation.read_by_agent', ...object, facts }),
      );
    }
    const next = after + page.length;
    return { items: [...page], matching: ordered.length, next: page.length > 0 && next < ordered.length ? next : null };
  }

  async pairs(request: Request<typeof ReadBlindPairs>): Reply<typeof ReadBlindPairs> {
    const { limit = PAIRS_PAGE } = request;
    const { row, items, voted } = await this.#read(request);
    const voter = voterOf(request.actor);
    requirePeople(row);
    const own = new Set(voted.filter((vote) => vote.voter === voter).map(({ n, place }) => `${n}/${place}`));
    const open = items.flatMap((item) =>
      item.answers.flatMap((answer) =>
        isPair(item, answer) && !own.has(`${item.n}/${answer.place}`) ? [{ item, place: answer.place }] : [],
      ),
    );
    const pairs = open.slice(0, limit).map(({ item, place }) => blindPair(row, item, place));
    return { pairs: [...fitting(pairs)], voted: own.size, left: open.length };
  }

  async vote(request: Request<typeof VoteEvaluationItem>): Reply<typeof VoteEvaluationItem> {
    const { account, evaluation, n, deployment, choice, actor } = request;
    const { row, items, voted } = await this.#read(request);
    const voter = voterOf(actor);
    requirePeople(row);
    const place = row.deployments.findIndex((one) => one.deployment === deployment);
    const item = items.find((one) => one.n === n);
    const answer = item?.answers.find((one) => one.place === place);
    if (!item || !answer || !isPair(item, answer)) throw noPair();
    const verdict = verdictOf(choice, isCandidateLeft(row, { n, place }));
    await this.transactions.run(request, async (tx) => {
      await this.answers.vote(tx, evaluation, { n, place, voter, verdict });
      const object = { object: `evaluation:${evaluation}`, objectName: row.suite_name };
      await this.audit.record(tx, { account, actor, action: 'evaluation.vote', ...object, facts: { item: n, deployment } });
    });
    const others = voted.filter((vote) => vote.voter === voter && !(vote.n === n && vote.place === place));
    return { voted: others.length + 1 };
  }

  /** @throws ServiceError `evaluation_not_found`, `not_permitted` where the actor may not read the text */
  #read({ account, evaluation, actor }: { account: AccountId; evaluation: EvaluationId; actor?: Actor | undefined }) {
    return this.transactions.read(account, async (connection) => {
      const row = await this.evaluations.find(connection, account, evaluation);
      if (!row) throw evaluationNotFound();
      requireRead(actor, row.agent_access ?? 'none', 'examples');
      const answers = await this.answers.answers(connection, evaluation);
      const [judgements, votes] = [await this.answers.judgements(connection, evaluation), await this.answers.votes(connection, evaluation)];
      const preferred = preferences(row.graders, { answers, judgements, votes });
      const stored = await this.answers.items(connection, evaluation);
      return { row, items: stored.map((item) => this.#open(row, item, answers, preferred)), voted: votes };
    });
  }

  #open(
    row: EvaluationRow,
    { n, example, content }: ItemRow,
    answers: readonly AnswerRow[],
    preferred: ReturnType<typeof preferences>,
  ): ReadItem {
    const conversation = JSON.parse(this.secrets.openText(row.account, content)) as Conversation;
    const own = answers.filter((answer) => answer.n === n);
    return {
      ...{ n, example, prompt: promptText(conversation), reference: spokenText(conversation.reference) },
      answers: own.map(({ place, content: sealed, error, passed, ms }) => {
        const answer = sealed === null ? null : (JSON.parse(this.secrets.openText(row.account, sealed)) as Answer);
        const judged = row.graders.map((grader, i) => (grader.kind === 'judge' ? (preferred.get(`${i}/${n}/${place}`) ?? null) : null));
        return { place, answer, error, passed, judged, ms };
      }),
    };
  }
}

const cut = (text: string): string => (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS - 1)}…` : text);

const itemView = ({ deployments }: EvaluationRow, { n, example, prompt, reference, answers }: ReadItem) => ({
  ...{ n, example, prompt: cut(prompt), reference: cut(reference) },
  answers: answers.flatMap(({ place, answer, error, passed, judged, ms }) => {
    const compared = deployments[place];
    if (!compared) return [];
    const calls = answer === null || answer.calls.length === 0 ? null : cut(JSON.stringify(answer.calls));
    return [{ deployment: compared.deployment, text: answer && cut(answer.text), tool_calls: calls, error, passed, judged, ms }];
  }),
});

/** Whether there is something to choose between. */
const isPair = ({ answers }: ReadItem, { place, answer }: ReadItem['answers'][number]): boolean => {
  const baseline = answers.find((one) => one.place === 0)?.answer;
  return place > 0 && answer !== null && !!baseline && spokenText(answer) !== spokenText(baseline);
};

/** Decided by a hash, so that the side of an answer says nothing and stays as it is. */
const isCandidateLeft = ({ id, account }: EvaluationRow, { n, place }: Pair): boolean =>
  ((createHash('sha256').update(`${account}/${id}/${n}/${place}`).digest()[0] ?? 0) & 1) === 0;

function verdictOf(choice: 'left' | 'tie' | 'right', isLeft: boolean): VoteRow['verdict'] {
  if (choice === 'tie') return 'tie';
  return (choice === 'left') === isLeft ? 'better' : 'worse';
}

function blindPair(row: EvaluationRow, { n, prompt, answers }: ReadItem, place: number) {
  const text = (wanted: number): string => {
    const answer = answers.find((one) => one.place === wanted)?.answer;
    return answer ? cut(spokenText(answer)) : '';
  };
  const [left, right] = isCandidateLeft(row, { n, place }) ? [text(place), text(0)] : [text(0), text(place)];
  const compared = row.deployments[place];
  if (!compared) throw noPair();
  return { n, deployment: compared.deployment, prompt: cut(prompt), left, right };
}

/** @throws ServiceError `not_permitted` for whoever is no person */
function voterOf(actor: Actor | undefined): number {
  if (actor?.kind === 'user') return actor.user;
  throw new ServiceError('not_permitted', 'Only people who are signed in may vote.', { param: 'actor' });
}

function requirePeople({ graders }: EvaluationRow): void {
  if (graders.some(({ kind }) => kind === 'people')) return;
  throw new ServiceError('invalid_request', 'This evaluation has no grader of the kind people.', { param: 'evaluation' });
}

const noPair = (): ServiceError =>
  new ServiceError('invalid_request', 'The evaluation has no two different answers for this item and deployment.', { param: 'n' });
