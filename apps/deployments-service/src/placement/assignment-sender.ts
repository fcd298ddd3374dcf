import {
  type AccountId,
  type AgentHeartbeat,
  Assignment,
  type AssignmentItem,
  credentialBinding,
  type DeploymentId,
  subjectOf,
  withQuery,
} from '@slipway/contracts';
import { inParts, type Logger, messageBytesOf, type NatsConnection, releaseHeaders } from '@slipway/platform';
import type { AgentSealers } from '../agents/agent-sealers.js';
import type { CredentialVault } from '../deployments/revision-settings.js';
import type { Revision, Target } from './target.js';
import { type Assignments, type LiveAgent, type UnitKey, unitKey } from './unit.js';

/** Half of the logical processors, which is about the number of cores; more threads than cores slow llama.cpp down. */
const threadsOf = (cpu: number): number => Math.max(1, Math.floor(cpu / 2));

export interface ItemOptions {
  readonly vault: CredentialVault;
  readonly sealers: AgentSealers;
  /** Threads of a model whose owner names none; null = half of the agent's processors. */
  readonly threads: number | null;
}

/** A revision with its deployment and account. */
export interface OwnedRevision {
  readonly target: Pick<Target, 'dep' | 'account'>;
  readonly revision: Revision;
}

type Receiver = Pick<AgentHeartbeat, 'wk' | 'cpu' | 'key'>;

/**
 * The assignment item of a unit for an agent. Stored secrets are opened here and for engine tests, nowhere else.
 * @throws UnreadableSecretError when the stored secret cannot be opened; Error when secrets may not be sent to the agent
 */
function assignmentItem({ target, revision }: OwnedRevision, agent: Receiver, options: ItemOptions): AssignmentItem {
  const { dep, account } = target;
  const { rev, source, adapter, context, slots, threads, defaultMaxTokens } = revision;
  const item = {
    ...{ dep, account: account as AccountId, rev, source, ...(adapter && { adapter }), context, slots },
    // More threads than processors would slow down every model of the worker.
    threads: Math.min(agent.cpu, threads ?? options.threads ?? threadsOf(agent.cpu)),
    default_max_tokens: defaultMaxTokens,
  };
  if (revision.credential === null) return item;
  const secret = options.vault.open(revision.credential, account);
  const wrapped = options.sealers.wrap(agent, secret, credentialBinding({ dep, rev, wk: agent.wk }));
  // Agents that take unsealed secrets expect the query as part of the address.
  const whole = 'credential' in wrapped ? withQuery(source, secret) : null;
  return whole ? { ...item, source: whole } : { ...item, ...wrapped };
}

/** An unchanged assignment is repeated in the first round after this time, in milliseconds, for agents that missed a message. */
const REPEAT_MS = 1_900;
/**
 * The cost of a series grows with the number of items: 4,000 items with credentials take about 0.1 s here and at the agent.
 * The pause after a series grows likewise, which bounds the load that constant changes of one deployment cause.
 */
const ITEMS_PER_MS = 4;
const GAP_MAX_MS = 1_000;
/** Most bytes of one part: a message of this size is parsed in about 1 ms. */
const PART_BYTES = 256 * 1_024;

/** Content of an assignment. */
interface Content {
  readonly term: number;
  readonly keys: ReadonlySet<UnitKey>;
  readonly stopped: readonly DeploymentId[];
  /** Deployments that need a replica less, whose streams on the agent may take their time. */
  readonly leaving: readonly DeploymentId[];
}

interface Sent extends Content {
  /** Number of the series of messages that carried it. */
  readonly no: number;
  /** When it was first sent, and when it was last sent. */
  readonly since: number;
  readonly at: number;
}

export interface AssignmentSenderOptions extends ItemOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  /** Monotonic, in milliseconds. */
  readonly clock?: () => number;
}

/** Most bytes of one item. */
export const itemBytesMax = (nats: Pick<NatsConnection, 'info'>): number => Math.min(PART_BYTES, messageBytesOf(nats));

/** Sends each agent its whole assignment, on change and every 2 s, in parts of at most 256 KiB. Changes during a pause are sent together. */
export class AssignmentSender {
  #sent = new Map<string, Sent>();
  #no = 0;
  readonly #clock: () => number;

  constructor(private readonly options: AssignmentSenderOptions) {
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** @param term term of the placer that decided; agents ignore lower ones */
  send(term: number, assignments: Assignments, targets: readonly Target[], agents: readonly LiveAgent[]): void {
    const now = this.#clock();
    const kept = new Map<string, Sent>();
    const wanted = new Set(targets.filter(({ desired }) => desired === 'ready').map(({ dep }) => dep));
    const revisions = revisionsOf(targets);
    const newest = newestAssigned(targets, assignments);
    for (const agent of agents) {
      const keys = assignments.get(agent.wk) ?? new Set<UnitKey>();
      const content = { term, keys, stopped: stoppedOn(agent, wanted), leaving: leavingOn(agent, keys, newest) };
      const last = this.#sent.get(agent.wk);
      const isNew = !last || !isSame(last, content);
      if (last && (isNew ? now - last.since < gapOf(last, content) : now - last.at < REPEAT_MS)) {
        kept.set(agent.wk, last);
        continue;
      }
      const sent = isNew ? { ...content, no: (this.#no += 1), since: now, at: now } : { ...last, at: now };
      kept.set(agent.wk, sent);
      this.#sendTo(agent, sent, revisions);
    }
    this.#sent = kept;
  }

  /** A failure for one agent does not affect the others. */
  #sendTo(agent: AgentHeartbeat, sent: Sent, revisions: ReadonlyMap<UnitKey, OwnedRevision>): void {
    try {
      const { assigned } = agent;
      if (assigned?.term === sent.term && assigned.no === sent.no) this.#publish(agent, messageOf(sent, [], { no: sent.no, i: 0, of: 0 }));
      else this.#sendWhole(agent, sent, this.#itemsOf(agent, sent, revisions));
    } catch (error) {
      // The assignment itself is not logged: it may hold credentials.
      this.options.log.error({ agent: agent.wk, items: sent.keys.size, err: error }, 'placement.assignment_unsent');
    }
  }

  #sendWhole(agent: AgentHeartbeat, sent: Sent, items: readonly string[]): void {
    // Agents older than 2027 expect the whole assignment in one message.
    const texts = [...items, ...sent.stopped.map(String), ...sent.leaving.map((dep) => `-${dep}`)];
    if (agent.assigned === undefined) return this.#publish(agent, messageOf(sent, texts));
    const parts = inParts(texts, itemBytesMax(this.options.nats));
    const of = Math.max(1, parts.length);
    for (let i = 0; i < of; i += 1) this.#publish(agent, messageOf(sent, parts[i] ?? [], { no: sent.no, i, of }));
  }

  /** An item that cannot be sent is left out; `TargetLoader` reports the reason to its owner. */
  #itemsOf(agent: AgentHeartbeat, { keys }: Sent, revisions: ReadonlyMap<UnitKey, OwnedRevision>): string[] {
    const bytesMax = itemBytesMax(this.options.nats);
    return [...keys].flatMap((key) => {
      const owned = revisions.get(key);
      if (!owned) return [];
      try {
        const text = JSON.stringify(assignmentItem(owned, agent, this.options));
        if (Buffer.byteLength(text) <= bytesMax) return [text];
        throw new Error('The item is larger than a message may be.');
      } catch (error) {
        this.options.log.error({ agent: agent.wk, unit: key, err: error }, 'placement.item_unsent');
        return [];
      }
    });
  }

  #publish({ wk }: AgentHeartbeat, text: string): void {
    const { nats, env } = this.options;
    nats.publish(subjectOf(Assignment, { env, wk }), text, { headers: releaseHeaders('deployments') });
  }
}

/** @param texts items as JSON, ids of stopped deployments, and ids of leaving ones behind a minus */
function messageOf({ term }: Sent, texts: readonly string[], part?: Assignment['part']): string {
  const items = texts.filter((text) => text.startsWith('{'));
  const stopped = texts.filter((text) => /^\d/.test(text));
  const left = texts.filter((text) => text.startsWith('-')).map((text) => text.slice(1));
  const leaving = left.length > 0 ? `,"leaving":[${left.join(',')}]` : '';
  const end = part ? `,"part":${JSON.stringify(part)}` : '';
  return `{"term":${term},"items":[${items.join(',')}],"stopped":[${stopped.join(',')}]${leaving}${end}}`;
}

/** Pause between two series, in milliseconds; 0 when a new term begins. */
const gapOf = (last: Content, next: Content): number =>
  last.term === next.term ? Math.min(GAP_MAX_MS, Math.max(last.keys.size, next.keys.size) / ITEMS_PER_MS) : 0;

function isSame(one: Content, other: Content): boolean {
  if (one.term !== other.term || one.keys.size !== other.keys.size) return false;
  if (one.stopped.join() !== other.stopped.join() || one.leaving.join() !== other.leaving.join()) return false;
  return [...one.keys].every((key) => other.keys.has(key));
}

const revisionsOf = (targets: readonly Target[]): ReadonlyMap<UnitKey, OwnedRevision> =>
  new Map(
    targets.flatMap((target) =>
      target.revisions.map((revision) => [unitKey({ dep: target.dep, rev: revision.rev }), { target, revision }]),
    ),
  );

/** Deployments that the agent has loads of and that must not run, sorted. Stopped and deleted ones are not among the targets. */
const stoppedOn = ({ loads }: AgentHeartbeat, wanted: ReadonlySet<DeploymentId>): DeploymentId[] =>
  [...new Set(loads.map(({ dep }) => dep).filter((dep) => !wanted.has(dep)))].sort((a, b) => a - b);

/** The newest revisions that any agent is to run. */
function newestAssigned(targets: readonly Target[], assignments: Assignments): ReadonlySet<UnitKey> {
  const assigned = new Set([...assignments.values()].flatMap((keys) => [...keys]));
  return new Set(targets.map(unitKey).filter((key) => assigned.has(key)));
}

/** Deployments whose newest revision the agent gives up while other agents go on to run it, sorted. A drained agent is in a hurry. */
function leavingOn({ loads, drained }: LiveAgent, keys: ReadonlySet<UnitKey>, newest: ReadonlySet<UnitKey>): DeploymentId[] {
  const left = drained ? [] : loads.filter((load) => newest.has(unitKey(load)) && !keys.has(unitKey(load)));
  return left.map(({ dep }) => dep).sort((a, b) => a - b);
}
