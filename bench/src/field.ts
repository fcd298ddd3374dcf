import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Surroundings } from './loads/rounds.js';
import type { BenchOptions } from './options.js';
import type { Peer } from './peers/peer.js';
import { PEERS } from './peers/peers.js';
import type { CleanUp } from './processes/clean-up.js';
import { HelperProcess } from './processes/helper-process.js';
import { type BenchStage, temporaryFolder } from './stage.js';
import { checkOut, type Checkout } from './ways/checkout.js';
import { startNginx } from './ways/nginx.js';
import { installPeer, startPeer } from './ways/peer-way.js';
import { startSlipway } from './ways/slipway.js';
import { directWay, type Way } from './ways/way.js';

/** Everything that takes part, running. */
export interface Field {
  readonly surroundings: Surroundings;
  /** The engine itself, nginx, Slipway, another state of it, peers. */
  readonly ways: readonly Way[];
  /** Name of the other state's way. */
  readonly against: string | null;
}

/** How a Slipway differs from the first one. */
interface Differences {
  /** Further variables of its environment. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly gateways?: number;
}

/** Starts servers, and hands what ends them to a clean-up. */
class Starter {
  readonly #owned: (server: { stop(): Promise<void> }) => void;

  constructor(
    private readonly stage: BenchStage,
    cleanUp: CleanUp,
    private readonly folder: string,
    private readonly enginePort: number,
  ) {
    this.#owned = (server) => cleanUp.add(() => server.stop());
  }

  async nginx(): Promise<Way> {
    const { nginx: binary, freePort } = this.stage;
    const options = { binary, folder: join(this.folder, 'nginx'), port: await freePort(), upstreamPort: this.enginePort };
    return startNginx(options, this.#owned);
  }

  async slipway(name: string, state: { version: string; root: string }, { settings, gateways }: Differences = {}): Promise<Way> {
    const { environment, freePort } = this.stage;
    const dataDir = join(this.folder, `data-${name.replaceAll(' ', '-')}`);
    return startSlipway(
      {
        ...{ name, ...state, dataDir, port: await freePort(), enginePort: this.enginePort, ...(gateways && { gateways }) },
        environment: { ...environment, ...settings },
      },
      this.#owned,
    );
  }

  /** Another state of Slipway, built by a first start of its own, so that what is measured is a start like any other. */
  async otherSlipway({ root, commit }: Checkout): Promise<Way> {
    const { environment, freePort } = this.stage;
    const name = `slipway@${commit}`;
    const build = { name, version: commit, root, environment, dataDir: join(this.folder, 'build'), port: await freePort() };
    const built: { stop(): Promise<void> }[] = [];
    await startSlipway({ ...build, enginePort: this.enginePort, isFresh: true }, (launcher) => {
      this.#owned(launcher);
      built.push(launcher);
    });
    for (const launcher of built) await launcher.stop();
    return this.slipway(name, { version: commit, root });
  }

  async peer(peer: Peer, installed: string): Promise<Way> {
    const { environment, freePort } = this.stage;
    const folder = join(this.folder, peer.name);
    await mkdir(folder);
    const natsServer = environment['NATS_SERVER_BIN'] ?? '';
    const place = { installed, folder, natsServer, enginePort: this.enginePort, port: await freePort(), opsPort: await freePort() };
    return startPeer(peer, place, this.#owned, environment['PATH']);
  }
}

/** Everything that has to be fetched before anything starts. */
interface Fetched {
  readonly checkout: Checkout | null;
  /** Folders of peers. */
  readonly peers: ReadonlyMap<Peer, string>;
}

async function fetchAll({ root, environment }: BenchStage, { against, peers }: BenchOptions, folder: string): Promise<Fetched> {
  const checkout = against === null ? null : await checkOut(root, against, join(folder, 'against'));
  const installed = new Map<Peer, string>();
  for (const peer of PEERS.filter(({ name }) => peers.includes(name)))
    installed.set(peer, await installPeer(peer, join(root, '.cache/bench'), environment));
  return { checkout, peers: installed };
}

/** Starts a helper. @returns it, and its first message */
type Helping = <First>(script: string) => Promise<{ helper: HelperProcess; first: First }>;

/** This state of Slipway, and what differs from it as the options want. */
async function ownWays(starter: Starter, root: string, { spans, doubled }: BenchOptions, help: Helping): Promise<Way[]> {
  const state = { version: 'this', root };
  const ways = [await starter.slipway('slipway', state)];
  if (spans) {
    const { first: collector } = await help<{ port: number }>('engine/collector-process.js');
    // The share of traces that Slipway samples by itself is 5 %.
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` };
    ways.push(await starter.slipway('slipway with spans', state, { settings }));
  }
  if (doubled) ways.push(await starter.slipway('slipway doubled', state, { gateways: 2 }));
  return ways;
}

/**
 * Starts everything that takes part; `cleanUp` ends it.
 * @param progress is called with a line for each step
 */
export async function bringUp(
  stage: BenchStage,
  options: BenchOptions,
  cleanUp: CleanUp,
  progress: (text: string) => void,
): Promise<Field> {
  const folder = await temporaryFolder(cleanUp);
  const fetched = await fetchAll(stage, options, folder);
  const help: Helping = async <First>(script: string) => {
    const started = await HelperProcess.start<First>(script);
    cleanUp.add(() => started.helper.stop());
    return started;
  };
  const { helper: engine, first } = await help<{ port: number }>('engine/engine-process.js');
  const { helper: clients } = await help('clients/load-process.js');
  const starter = new Starter(stage, cleanUp, folder, first.port);
  const ways = [directWay(first.port), await starter.nginx()];
  progress('Starting Slipway…');
  ways.push(...(await ownWays(starter, stage.root, options, help)));
  if (fetched.checkout) progress(`Building and starting Slipway of ${fetched.checkout.commit}…`);
  const other = fetched.checkout ? await starter.otherSlipway(fetched.checkout) : null;
  if (other) ways.push(other);
  for (const [peer, installed] of fetched.peers) {
    progress(`Starting ${peer.name} ${peer.version}…`);
    ways.push(await starter.peer(peer, installed));
  }
  return { surroundings: { clients, engine, progress }, ways, against: other?.name ?? null };
}
