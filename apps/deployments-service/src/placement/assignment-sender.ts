import { type AgentHeartbeat, Assignment, type DeploymentId, subjectOf } from '@slipway/contracts';
import { inParts, type Logger, messageBytesOf, type NatsConnection } from '@slipway/platform';
import { assignmentItem, type ItemOptions, type OwnedRevision } from './assignment-items.js';
import type { Target } from './target.js';
import { type Assignments, type UnitKey, unitKey } from './unit.js';

/** An agent that lost one assignment has the next after so long, in milliseconds. */
const REPEAT_MS = 2_000;
/**
 * A series costs in proportion to what the agent has: of 4,000 items with credentials about 0.1 s here and as much there.
 * One that follows another waits in that proportion, so that whoever changes a deployment all the time costs others little.
 */
const ITEMS_PER_MS = 4;
const GAP_MAX_MS = 1_000;
/** Bytes of a part: a message of this size is parsed in about a millisecond. */
const PART_BYTES = 256 * 1_024;

/** What an agent was told. */
interface Told {
  readonly term: number;
  readonly keys: ReadonlySet<UnitKey>;
  readonly stopped: readonly DeploymentId[];
}

interface Sent extends Told {
  /** Number of the series that said it. */
  readonly no: number;
  /** When it was new, and when it was sent last. */
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

/** Bytes that one item may take in a message. */
export const itemBytesMax = (nats: Pick<NatsConnection, 'info'>): number => Math.min(PART_BYTES, messageBytesOf(nats));

/** Tells each agent all that it must run, on change and every 2 s, in parts of 256 KiB at most. Changes in a row are told together. */
export class AssignmentSender {
  #sent = new Map<string, Sent>();
  #no = 0;
  readonly #clock: () => number;

  constructor(private readonly options: AssignmentSenderOptions) {
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** @param term of the placer that decided; agents ignore lower ones. */
  send(term: number, assignments: Assignments, targets: readonly Target[], agents: readonly AgentHeartbeat[]): void {
    const now = this.#clock();
    const kept = new Map<string, Sent>();
    const wanted = new Set(targets.filter(({ desired }) => desired === 'ready').map(({ dep }) => dep));
    const revisions = revisionsOf(targets);
    for (const agent of agents) {
      const told = { term, keys: assignments.get(agent.wk) ?? new Set<UnitKey>(), stopped: stoppedOn(agent, wanted) };
      const last = this.#sent.get(agent.wk);
      const isNew = !last || !isSame(last, told);
      if (last && (isNew ? now - last.since < gapOf(last, told) : now - last.at < REPEAT_MS)) {
        kept.set(agent.wk, last);
        continue;
      }
      const sent = isNew ? { ...told, no: (this.#no += 1), since: now, at: now } : { ...last, at: now };
      kept.set(agent.wk, sent);
      this.#tell(agent, sent, revisions);
    }
    this.#sent = kept;
  }

  /** Whatever goes wrong with one agent is no other's business. */
  #tell(agent: AgentHeartbeat, sent: Sent, revisions: ReadonlyMap<UnitKey, OwnedRevision>): void {
    try {
      const { assigned } = agent;
      if (assigned?.term === sent.term && assigned.no === sent.no) this.#publish(agent, messageOf(sent, [], { no: sent.no, i: 0, of: 0 }));
      else this.#sendWhole(agent, sent, this.#itemsOf(agent, sent, revisions));
    } catch (error) {
      // Without the assignment itself: it may hold credentials.
      this.options.log.error({ agent: agent.wk, items: sent.keys.size, err: error }, 'placement.assignment_unsent');
    }
  }

  #sendWhole(agent: AgentHeartbeat, sent: Sent, items: readonly string[]): void {
    // Agents of before 2027 take every message for the whole.
    if (agent.assigned === undefined) return this.#publish(agent, messageOf(sent, [...items, ...sent.stopped.map(String)]));
    const parts = inParts([...items, ...sent.stopped.map(String)], itemBytesMax(this.options.nats));
    const of = Math.max(1, parts.length);
    for (let i = 0; i < of; i += 1) this.#publish(agent, messageOf(sent, parts[i] ?? [], { no: sent.no, i, of }));
  }

  /** What cannot be told is left out alone; `TargetLoader` tells its owner why. */
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
    nats.publish(subjectOf(Assignment, { env, wk }), text);
  }
}

/** @param texts items as JSON, then numbers of stopped deployments. */
function messageOf({ term }: Sent, texts: readonly string[], part?: Assignment['part']): string {
  const items = texts.filter((text) => text.startsWith('{'));
  const stopped = texts.slice(items.length);
  const end = part ? `,"part":${JSON.stringify(part)}` : '';
  return `{"term":${term},"items":[${items.join(',')}],"stopped":[${stopped.join(',')}]${end}}`;
}

/** Time between two series, in milliseconds; none where a new term begins. */
const gapOf = (last: Told, next: Told): number =>
  last.term === next.term ? Math.min(GAP_MAX_MS, Math.max(last.keys.size, next.keys.size) / ITEMS_PER_MS) : 0;

function isSame(one: Told, other: Told): boolean {
  if (one.term !== other.term || one.keys.size !== other.keys.size || one.stopped.length !== other.stopped.length) return false;
  return [...one.keys].every((key) => other.keys.has(key)) && one.stopped.every((dep, i) => dep === other.stopped[i]);
}

const revisionsOf = (targets: readonly Target[]): ReadonlyMap<UnitKey, OwnedRevision> =>
  new Map(
    targets.flatMap((target) =>
      target.revisions.map((revision) => [unitKey({ dep: target.dep, rev: revision.rev }), { target, revision }]),
    ),
  );

/** What the agent has and its owner stopped. Deployments at rest and deleted ones are no targets. */
const stoppedOn = ({ loads }: AgentHeartbeat, wanted: ReadonlySet<DeploymentId>): DeploymentId[] =>
  [...new Set(loads.map(({ dep }) => dep).filter((dep) => !wanted.has(dep)))].sort((a, b) => a - b);
