import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  AgentHeartbeat,
  type AgentLoad,
  Assignment,
  type AssignmentItem,
  type CanonicalRequest,
  DeploymentId,
  type EndFrame,
  Heartbeat,
  Incarnation,
  type LogLine,
  ReadAgentLog,
  type Role,
  ServiceError,
  StreamId,
  subjectOf,
  wildcardOf,
} from '@slipway/contracts';
import { createLogger, type NatsConnection, nuid, RpcClient } from '@slipway/platform';
import { type OpenStream, StreamReceiver, type WorkerChooser } from '@slipway/stream-transport';
import { endWithProcess } from '@slipway/testing';
import { test } from 'vitest';
import { Bus, type BusTls, ENV } from '../services/bus.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import { isAlive } from '../testing/is-alive.js';
import { exitOf } from '../testing/exit-of.js';
import { until } from './until.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const log = createLogger('test', 'silent');
/** One token of the bundled model outweighs all others, those included that would end the turn. */
const NEVER_END = { '64': 100 };
export const MODEL = join(root, 'models/svc-tiny.Q8_0.gguf');

/** An agent's process as a test sees it. */
export interface Agent {
  readonly wk: Incarnation;
  readonly pid: number;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  /** All that it and its runners wrote. */
  output(): string;
  opsPort(): number;
}

/** An agent in the process of the test. `output` is what it wrote itself: its runners write to where that process writes. */
export type HostedAgent = Pick<Agent, 'wk' | 'output'>;

/** One stream as its caller sees it. */
export interface Run {
  readonly stream: OpenStream;
  /** A worker has taken it. */
  readonly accepted: Promise<void>;
  /** How often workers have taken it. */
  attempts(): number;
  text(): string;
  events(): number;
  readonly done: Promise<{ text: string; end: EndFrame }>;
}

export interface AskOptions {
  readonly maxTokens?: number;
  readonly rev?: number;
  readonly messages?: CanonicalRequest['messages'];
  /** The model may not end its turn: the stream runs until its limit or the end of the context. */
  readonly endless?: boolean;
  readonly api?: 'chat' | 'count';
  /** The only runner to try; absent = any that is ready. */
  readonly worker?: Incarnation;
}

/** A NATS server with permissions, a placer, a gateway, and agents as real processes. */
export class WorkerRig {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-worker-'));
  readonly beats: AgentHeartbeat[] = [];
  readonly runnerBeats = new Map<string, { beat: Heartbeat; at: number }>();
  readonly #agents: ChildProcess[] = [];
  readonly #hosted: ServiceInProcess[] = [];
  readonly #assigned = new Map<string, Assignment>();
  #assigning: NodeJS.Timeout | undefined;
  #bus: Bus | undefined;
  #receiver: StreamReceiver | undefined;
  #deployments: NatsConnection | undefined;

  /** @param named Whether the agents' processes get NATS users of their own, from a keys-service that the test starts. */
  async open({ named = false, nodes = 1, tls }: { named?: boolean; nodes?: number; tls?: BusTls } = {}): Promise<this> {
    this.#bus = await Bus.start(nodes, named, tls);
    const [deployments, gateway, bulk] = await Promise.all([this.connect('deployments'), this.connect('gateway'), this.connect('gateway')]);
    this.#deployments = deployments;
    deployments.subscribe(wildcardOf(AgentHeartbeat, { env: ENV }), {
      callback: (_, message) => {
        this.beats.push(AgentHeartbeat.message.parse(message.json()));
      },
    });
    gateway.subscribe(wildcardOf(Heartbeat, { env: ENV }), {
      callback: (_, message) => {
        const beat = Heartbeat.message.safeParse(message.json()).data;
        if (beat) this.runnerBeats.set(beat.wk, { beat, at: Date.now() });
      },
    });
    this.#receiver = new StreamReceiver({ nats: gateway, bulk, env: ENV, gw: Incarnation.parse(nuid.next()), log });
    this.#assigning = setInterval(() => this.#sendAssignments(), 500);
    return this;
  }

  async close(): Promise<void> {
    clearInterval(this.#assigning);
    for (const { pid } of this.beats.flatMap(({ loads }) => loads)) if (pid !== null && pid !== process.pid && isAlive(pid)) kill(pid);
    for (const child of this.#agents) child.kill('SIGKILL');
    await Promise.all([...this.#agents.map(exitOf), ...this.#hosted.map((agent) => agent.end())]);
    await this.#receiver?.stop();
    await this.#bus?.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  get bus(): Bus {
    if (!this.#bus) throw new Error('The rig is not open.');
    return this.#bus;
  }

  /** Starts an agent in this process, whose runners are processes, and waits for its first heartbeat. */
  async hostAgent(settings: Readonly<Record<string, string>> = {}): Promise<HostedAgent> {
    const known = new Set(this.beats.map(({ wk }) => wk));
    const agent = new ServiceInProcess('inference-worker', this.bus, { ...this.#settings(), ...settings });
    this.#hosted.push(agent);
    await agent.ready();
    const { wk } = await until('the first heartbeat of the agent', () => this.beats.find((beat) => !known.has(beat.wk)));
    return { wk, output: () => agent.output };
  }

  /** Starts an agent as a process and waits for its first heartbeat. */
  async startAgent(settings: NodeJS.ProcessEnv = {}): Promise<Agent> {
    const bus = this.#bus!;
    const known = new Set(this.beats.map(({ wk }) => wk));
    const child = spawn(process.execPath, [join(root, 'apps/inference-worker/dist/main.js')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: this.folder,
      // A process group of its own, as a terminal would give it.
      detached: true,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        SLIPWAY_ENV: ENV,
        NATS_URL: bus.url,
        NATS_CREDENTIALS_DIR: bus.credentialsDir,
        DRAIN_MS: '60000',
        ...this.#settings(),
        ...bus.tlsSettings,
        ...settings,
      },
    });
    endWithProcess(child);
    this.#agents.push(child);
    let written = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
    const first = await until('the first heartbeat of the agent', () => {
      if (child.exitCode !== null) throw new Error(`The agent ended:\n${written}`);
      return this.beats.find(({ wk }) => !known.has(wk));
    });
    return {
      wk: first.wk,
      pid: child.pid!,
      child,
      exited: exitOf(child),
      output: () => written,
      opsPort: () => Number(/"port":(\d+),"event":"ops.listening"/.exec(written)?.[1]),
    };
  }

  /** From now on the agent is to run exactly these. */
  assign(agent: Pick<Agent, 'wk'>, items: readonly AssignmentItem[], term = 1): void {
    this.#assigned.set(agent.wk, { term, items: [...items] });
    this.#sendAssignments();
  }

  /** From now on the agent is to run nothing; of what it runs, only these were stopped by their owners. */
  unassign(agent: Pick<Agent, 'wk'>, stopped: readonly number[]): void {
    this.#assigned.set(agent.wk, { term: 1, items: [], stopped: stopped.map((dep) => DeploymentId.parse(dep)) });
    this.#sendAssignments();
  }

  /** The newest lines of a deployment's log on the agent. */
  async logOf(agent: Pick<Agent, 'wk'>, dep: number, lines = 2_000): Promise<LogLine[]> {
    const client = new RpcClient(this.#deployments!, ENV);
    return (await client.call(ReadAgentLog, { dep: DeploymentId.parse(dep), lines }, { wk: agent.wk })).lines;
  }

  /** Sends something to an agent that need not be an assignment. */
  sendRaw(wk: Incarnation, text: string): void {
    this.#deployments?.publish(subjectOf(Assignment, { env: ENV, wk }), text);
  }

  /** The agent's newest word about a deployment. */
  loadOf(agent: Pick<Agent, 'wk'>, dep: number, rev?: number): AgentLoad | undefined {
    return this.beatOf(agent)?.loads.find((load) => load.dep === dep && (rev === undefined || load.rev === rev));
  }

  beatOf(agent: Pick<Agent, 'wk'>): AgentHeartbeat | undefined {
    return this.beats.findLast(({ wk }) => wk === agent.wk);
  }

  async ready(agent: Pick<Agent, 'wk'>, dep: number, rev?: number): Promise<AgentLoad> {
    let last: AgentLoad | undefined;
    try {
      return await until(`deployment ${dep} is ready`, () => {
        last = this.loadOf(agent, dep, rev);
        return last?.state === 'ready' && last;
      });
    } catch (cause) {
      throw new Error(`Deployment ${dep} is not ready: ${JSON.stringify(last)}`, { cause });
    }
  }

  /** Waits until a load of the deployment has failed. */
  failed(agent: Pick<Agent, 'wk'>, dep: number, rev?: number): Promise<AgentLoad> {
    return until(`deployment ${dep} has failed`, () => {
      const load = this.loadOf(agent, dep, rev);
      return load?.state === 'failed' && load;
    });
  }

  /** Opens a stream at a ready runner of the deployment. */
  ask(dep: number, text: string, options: AskOptions = {}): Run {
    let answer = '';
    let [events, attempts] = [0, 0];
    let stream: OpenStream | undefined;
    let accept: () => void = () => undefined;
    const accepted = new Promise<void>((resolve) => (accept = resolve));
    const done = new Promise<{ text: string; end: EndFrame }>((resolve, reject) => {
      const request = {
        st: StreamId.parse(nuid.next()),
        dep: DeploymentId.parse(dep),
        rev: options.rev ?? 1,
        api: options.api ?? ('chat' as const),
        req: {
          messages: options.messages ?? [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
          sampling: { temperature: 0, seed: 7, ...(options.endless && { logit_bias: NEVER_END }) },
          stop: [],
          ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
        },
        account: 1 as never,
        key: 1 as never,
      };
      stream = this.#receiver!.open(request, this.#chooser(dep, options), {
        accepted: () => {
          attempts += 1;
          accept();
        },
        events: (some) => {
          events += some.length;
          for (const event of some) if (event.k === 'text') answer += event.x;
        },
        end: (end) => resolve({ text: answer, end }),
        error: reject,
      });
    });
    done.catch(() => undefined);
    return { stream: stream!, accepted, attempts: () => attempts, text: () => answer, events: () => events, done };
  }

  /** What runners say of themselves now. */
  runnersOf(dep: number): Heartbeat[] {
    return [...this.runnerBeats.values()].filter(({ beat, at }) => beat.dep === dep && Date.now() - at < 3_000).map(({ beat }) => beat);
  }

  #settings(): Record<string, string> {
    return { MODEL_DIRS: `${join(root, 'models')},${this.folder}`, MODEL_CACHE_DIR: join(this.folder, 'cache') };
  }

  #chooser(dep: number, { rev = 1, worker }: AskOptions): WorkerChooser {
    const candidate = (excluded: ReadonlySet<Incarnation>): Incarnation | undefined =>
      this.runnersOf(dep).find((beat) => beat.rev === rev && beat.state === 'ready' && !excluded.has(beat.wk))?.wk;
    return {
      choose: async (excluded) => {
        const only = worker !== undefined && !excluded.has(worker) ? worker : null;
        const wk = worker === undefined ? await until('a ready runner', () => candidate(excluded), 5_000).catch(() => null) : only;
        if (!wk) throw new ServiceError('overloaded', 'No runner.');
        return wk;
      },
      released: () => undefined,
      refused: () => undefined,
    };
  }

  #sendAssignments(): void {
    for (const [wk, assignment] of this.#assigned) {
      this.#deployments?.publish(subjectOf(Assignment, { env: ENV, wk }), JSON.stringify(assignment));
    }
  }

  /** A connection with a role's permissions, which ends with the rig. */
  connect(role: Role): Promise<NatsConnection> {
    return this.#bus!.connect(role);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the question and the signal.
  }
}

/** Tests with a rig of their own each, which may run side by side. */
export const rigTest = test.extend<{ rig: WorkerRig }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
  rig: async ({}, use) => {
    const rig = new WorkerRig();
    try {
      await use(await rig.open());
    } finally {
      await rig.close();
    }
  },
});
