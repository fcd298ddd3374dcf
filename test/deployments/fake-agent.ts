import {
  AgentHeartbeat,
  type AgentLoad,
  Assignment,
  type AssignmentItem,
  credentialBinding,
  Incarnation,
  type LogLine,
  logLineFilter,
  ReadAgentLog,
  subjectOf,
} from '@slipway/contracts';
import { BoxKey, type NatsConnection, nuid, PartCollector } from '@slipway/platform';
import type { z } from 'zod';
import { answerCalls } from '../services/answer-calls.js';

/** More often than real agents: tests should not wait for them. */
const BEAT_MS = 200;

/** Context of a deployment with one slot that takes most of what is counted as one. */
export const LARGE_CONTEXT = 131_072;
const LARGE_BYTES = 600 * 2 ** 20;

const keyOf = ({ dep, rev }: { dep: number; rev: number }): string => `${dep}:${rev}`;

type ReadLog = z.output<typeof ReadAgentLog.request>;

/** What becomes of an item that is new to the agent. */
export type Reaction = (item: AssignmentItem) => Partial<AgentLoad>;

const becomesReady: Reaction = () => ({ state: 'ready', context: 2_048, caps: ['tools'] });
export const keepsLoading: Reaction = () => ({ state: 'loading', progress: 0.25 });
export const becomes =
  (load: Partial<AgentLoad>): Reaction =>
  () =>
    load;

/** Speaks the agent's side of placement, and does what the test says. */
export class FakeAgent {
  /** All assignments received, obsolete terms included. */
  readonly assignments: Assignment[] = [];
  /** The terms of all messages received, repetitions included. */
  readonly terms: number[] = [];
  react: Reaction = becomesReady;
  /** What it lets go of drains until `finish`; otherwise it is gone at once. */
  drains = false;
  facts: Partial<AgentHeartbeat> = {};
  /** Its memory, as a number of large deployments that it holds at once; null = it says what `facts` say. */
  holds: number | null = null;
  /** Engine logs by deployment, once `serveLogs` was called. */
  readonly logs = new Map<number, LogLine[]>();
  /** Secrets are sealed for it. */
  readonly key = new BoxKey();
  /** It is of a version that knows neither parts nor keys. */
  old = false;
  /** Hears nothing, and goes on to speak. */
  deaf = false;
  /** Reported beside the assigned loads. */
  lies: readonly AgentLoad[] = [];
  readonly #parts = new PartCollector<Assignment>();
  #applied: AgentHeartbeat['assigned'] = null;
  readonly #loads = new Map<string, AgentLoad>();
  readonly #timer: NodeJS.Timeout;
  #term = 0;
  #silent = false;

  constructor(
    private readonly nats: NatsConnection,
    private readonly env: string,
    readonly wk = Incarnation.parse(nuid.next()),
  ) {
    nats.subscribe(subjectOf(Assignment, { env, wk: this.wk }), {
      callback: (_, message) => this.#collect(Assignment.message.parse(message.json())),
    });
    this.#timer = setInterval(() => this.beat(), BEAT_MS);
  }

  /** The last assignment. */
  get items(): readonly AssignmentItem[] {
    return this.assignments.at(-1)?.items ?? [];
  }

  runs(dep: number): boolean {
    return this.items.some((item) => item.dep === dep);
  }

  /** How often the deployment was new to it. */
  starts = new Map<number, number>();

  /** Changes what it says of a deployment, or of one revision of it, at once. */
  say(dep: number, change: Partial<AgentLoad>, rev?: number): void {
    for (const [key, load] of this.#loads) {
      if (load.dep === dep && (rev === undefined || load.rev === rev)) this.#loads.set(key, { ...load, ...change });
    }
    this.beat();
  }

  /** Assigned revisions of the deployment, oldest first. */
  revisionsOf(dep: number): number[] {
    return this.items
      .filter((item) => item.dep === dep)
      .map(({ rev }) => rev)
      .toSorted((a, b) => a - b);
  }

  /** Answers questions for engine logs from now on. */
  async serveLogs(): Promise<void> {
    const read = async ({ dep, lines, after = 0, ...filter }: ReadLog): Promise<{ lines: LogLine[] }> => {
      // A frozen process answers nothing.
      if (this.#silent) await new Promise(() => undefined);
      const isNew = ({ no }: LogLine): boolean => no === undefined || no > after;
      return { lines: (this.logs.get(dep) ?? []).filter((line) => isNew(line) && logLineFilter(filter)(line)).slice(-lines) };
    };
    await answerCalls(this.nats, ReadAgentLog, read, { env: this.env, tokens: { wk: this.wk } });
  }

  /** Neither receives nor sends, like a frozen process; messages of this time are lost. */
  freeze(): void {
    this.#silent = true;
  }

  thaw(): void {
    this.#silent = false;
    this.beat();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#silent = true;
  }

  beat(): void {
    if (this.#silent || this.nats.isClosed()) return;
    const heartbeat: AgentHeartbeat = {
      wk: this.wk,
      host: `host-${this.wk}`,
      zone: null,
      mem_free: 8 * 2 ** 30,
      cpu: 4,
      gpus: 0,
      engines: ['llama', 'http'],
      cached: [],
      draining: false,
      ...(!this.old && { key: this.key.publicKey, assigned: this.#applied }),
      ...this.facts,
      ...(this.holds !== null && { mem_free: LARGE_BYTES * Math.max(0, this.holds - this.#loads.size) }),
      loads: [...this.lies, ...this.#loads.values()],
    };
    this.nats.publish(subjectOf(AgentHeartbeat, { env: this.env, wk: this.wk }), JSON.stringify(heartbeat));
  }

  #collect(message: Assignment): void {
    if (this.#silent || this.deaf) return;
    const { part, term } = message;
    this.terms.push(term);
    if (!part || this.old) return this.#hear(message);
    const all = this.#parts.add(`${term}:${part.no}`, part, message);
    if (!all) return;
    this.#applied = { term, no: part.no };
    const leaving = all.flatMap((one) => one.leaving ?? []);
    const stopped = all.flatMap((one) => one.stopped ?? []);
    this.#hear({ term, items: all.flatMap(({ items }) => items), stopped, ...(leaving.length > 0 && { leaving }) });
  }

  /** The secret of an item as this agent reads it. */
  secretOf({ dep, rev, sealed, credential }: AssignmentItem): string | undefined {
    return sealed === undefined ? credential : this.key.open(sealed, credentialBinding({ dep, rev, wk: this.wk }));
  }

  #hear(assignment: Assignment): void {
    if (this.#silent) return;
    this.assignments.push(assignment);
    if (assignment.term < this.#term) return;
    this.#term = assignment.term;
    const wanted = new Map(assignment.items.map((item) => [keyOf(item), item]));
    for (const [key, load] of this.#loads) if (!wanted.has(key)) this.#letGo(key, load);
    for (const [key, item] of wanted) if (!this.#loads.has(key)) this.#start(key, item);
    this.beat();
  }

  /** Ends what drains. */
  finish(): void {
    this.drains = false;
    for (const [key, load] of this.#loads) if (load.state === 'draining') this.#loads.delete(key);
    this.beat();
  }

  #letGo(key: string, load: AgentLoad): void {
    if (this.drains) this.#loads.set(key, { ...load, state: 'draining' });
    else this.#loads.delete(key);
  }

  #start(key: string, item: AssignmentItem): void {
    this.starts.set(item.dep, (this.starts.get(item.dep) ?? 0) + 1);
    const load: AgentLoad = {
      dep: item.dep,
      rev: item.rev,
      state: 'loading',
      progress: null,
      reason: null,
      detail: null,
      pid: null,
      context: null,
      caps: [],
    };
    this.#loads.set(key, { ...load, ...this.react(item) });
  }
}
