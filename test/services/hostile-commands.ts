import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AccountId,
  CreateDeployment,
  CreateInvitation,
  CreateKey,
  DeleteDeployment,
  type DeploymentId,
  type DeploymentView,
  ListDeployments,
  PointAlias,
  ResumeDeployment,
  ScaleDeployment,
  SetDeploymentQuotas,
  StopDeployment,
  TestEngine,
} from '@slipway/contracts';
import type { z } from 'zod';
import { until } from '../testing/until.js';
import type { ClientRig } from './client-rig.js';
import { codeOr, type HostileAct, type HostileDeed, repeatedly } from './hostile-client.js';
import type { HostileEngine } from './hostile-engine.js';
import { MODELS } from './service-process.js';

/** The longest that is allowed, so that so many deployments are more than one message of a mebibyte. */
const LONG_PATH = 'p'.repeat(1_900);
const LONG_CREDENTIAL = 's'.repeat(4_000);
const CROWD = 192;
const LANES = 8;
const MESSAGE_BYTES = 1024 * 1024;

const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
/** A model file with one entry: an array of so many elements of a type, of which nothing is there. */
const arrayOf = (type: number, count: number): Buffer =>
  Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(0),
    u64(1),
    u64(1),
    Buffer.from('k'),
    u32(9),
    u32(type),
    u64(count),
    Buffer.alloc(2_400_000),
  ]);

/** The bundled model with no heads of attention: who divides by them ends. */
async function headless(): Promise<Buffer> {
  const model = await readFile(join(MODELS, 'svc-tiny.Q8_0.gguf'));
  const entry = Buffer.concat([Buffer.from('.attention.head_count'), u32(4)]);
  const at = model.indexOf(entry);
  if (at < 0) throw new Error('The bundled model does not say how many heads it has.');
  u32(0).copy(model, at + entry.length);
  return model;
}

/** Writes model files that harm who reads them without care, and returns their paths. */
export async function writeBombs(folder: string): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const bombs = { numbers: arrayOf(4, 2 ** 32), texts: arrayOf(8, 2 ** 32), headless: await headless() };
  return Promise.all(
    Object.entries(bombs).map(async ([name, bytes]) => {
      const path = join(folder, `${name}.gguf`);
      await writeFile(path, bytes);
      return path;
    }),
  );
}

/**
 * Acts of a hostile tenant that are commands to the services, as a member or owner gives them by the console. Each is an
 * account's of its own, whose deployments go after it: what an act leaves would weigh on all that is measured later.
 */
export class HostileCommands {
  #named = 0;

  constructor(
    private readonly rig: ClientRig,
    private readonly engine: HostileEngine,
    private readonly bombs: readonly string[],
  ) {}

  get acts(): readonly HostileAct[] {
    return [
      {
        what: 'deployments of a mebibyte and more',
        deed: this.#asAnAccount((account, signal) => this.#crowd(account, signal)),
        answered: ['more than a message'],
      },
      {
        what: 'model files that are bombs',
        deed: this.#asAnAccount((account, signal) => this.#bombs(account, signal)),
        answered: ['model_invalid'],
      },
      {
        what: 'deployments of engines that never end',
        deed: this.#asAnAccount((account, signal) => this.#endlessEngines(account, signal)),
        answered: ['probed'],
      },
      {
        what: 'tests of engines that never end',
        deed: this.#asAnAccount((account, signal) => this.#tests(account, signal)),
        answered: ['tested', 'rate_limit_exceeded'],
      },
      {
        what: 'keys, aliases, invitations to their quotas',
        deed: this.#asAnAccount((account, signal) => this.#fill(account, signal)),
        answered: ['quota_exceeded'],
      },
      {
        what: 'scaling, stopping and pointing in a loop',
        deed: this.#asAnAccount((account, signal) => this.#churn(account, signal)),
        answered: ['scaled', 'pointed', 'stopped', 'resumed'],
      },
    ];
  }

  #asAnAccount(deed: (account: AccountId, signal: AbortSignal) => Promise<string[]>): HostileDeed {
    return async (signal) => {
      const { account } = await this.rig.tenant();
      try {
        return await deed(account, signal);
      } finally {
        await this.#clear(account);
      }
    };
  }

  #source(path: string): Extract<z.input<typeof CreateDeployment.request>['source'], { kind: 'http' }> {
    return { kind: 'http', url: `${this.engine.url}/${path}`, model: 'scripted' };
  }

  #name(): string {
    return `n${(this.#named += 1)}`;
  }

  /** Any host that answers counts as an engine, so that all of these are placed, on every worker. */
  async #crowd(account: AccountId, signal: AbortSignal): Promise<string[]> {
    // One whom the operator trusts with more deployments than one message holds.
    await this.rig.command(SetDeploymentQuotas, { account, quotas: { deployments: 1_000, replicas: 64_000 } });
    const wish = { account, name: 'one of many', credential: LONG_CREDENTIAL, replicas: 64 };
    const make = async (): Promise<string> => {
      const source = this.#source(`${LONG_PATH}/${this.#name()}`);
      const reply = await this.rig.command(CreateDeployment, { ...wish, source }).catch(codeOr);
      return typeof reply === 'string' ? reply : 'made';
    };
    const answers: string[] = [];
    const lane = async (): Promise<void> => {
      for (let nth = 0; nth < CROWD / LANES; nth += 1) answers.push(await make());
    };
    // All of them, however long it takes.
    await Promise.all(Array.from({ length: LANES }, lane));
    if (!signal.aborted) await once(signal, 'abort');
    const bytes = answers.filter((answer) => answer === 'made').length * (LONG_PATH.length + LONG_CREDENTIAL.length);
    return [...answers, ...(bytes > MESSAGE_BYTES ? ['more than a message'] : [])];
  }

  async #bombs(account: AccountId, signal: AbortSignal): Promise<string[]> {
    const { bombs } = this;
    return repeatedly(signal, { lanes: 2, pauseMs: 10 }, async () => {
      const path = bombs[(this.#named += 1) % bombs.length] ?? '';
      const made = await this.rig.command(CreateDeployment, { account, name: 'a bomb', source: { kind: 'file', path } }).catch(codeOr);
      if (typeof made === 'string') return made;
      const seen = await this.#whenSeen(account, made.id, ({ reason }) => signal.aborted || (reason !== null && reason !== 'no_worker'));
      return seen.reason ?? seen.state;
    });
  }

  async #endlessEngines(account: AccountId, signal: AbortSignal): Promise<string[]> {
    const make = async (path: string): Promise<DeploymentId> =>
      (await this.rig.command(CreateDeployment, { account, name: 'endless', source: this.#source(path) })).id;
    const made = await Promise.all(['endless', 'large', 'silent'].flatMap((path) => Array.from({ length: 6 }, () => make(path))));
    return repeatedly(signal, { lanes: 1, pauseMs: 500 }, async () => {
      const { deployments } = await this.rig.command(ListDeployments, { account });
      return deployments.some(({ id, state }) => made.includes(id) && state === 'ready') ? 'probed' : 'unprobed';
    });
  }

  #tests(account: AccountId, signal: AbortSignal): Promise<string[]> {
    const places = ['endless', 'large', 'silent'].map((path) => this.#source(path));
    return repeatedly(signal, { lanes: 4, pauseMs: 50 }, () => {
      const source = places[(this.#named += 1) % places.length] ?? this.#source('endless');
      return this.rig.command(TestEngine, { account, source }).then(({ tests }) => (tests.length > 0 ? 'tested' : 'not tested'), codeOr);
    });
  }

  async #fill(account: AccountId, signal: AbortSignal): Promise<string[]> {
    const { rig } = this;
    const deployment = await rig.deployment(account, { source: this.#source('') });
    const makers = [
      () => rig.command(CreateKey, { account, name: this.#name() }).then(() => 'key', codeOr),
      () => rig.command(PointAlias, { account, alias: this.#name(), deployment }).then(() => 'alias', codeOr),
      () => {
        const email = `${this.#name()}@hostile.test`;
        return rig.command(CreateInvitation, { account, email, role: 'member', actor: { kind: 'ops' } }).then(() => 'invitation', codeOr);
      },
    ];
    const answers = await Promise.all(makers.map((make) => repeatedly(signal, { lanes: 4, pauseMs: 1 }, make)));
    return answers.flat();
  }

  async #churn(account: AccountId, signal: AbortSignal): Promise<string[]> {
    const { rig } = this;
    const source = this.#source('');
    const [engine, deployment] = [await rig.deployment(account, { source }), await rig.deployment(account, { source })];
    const loop = (attempt: (nth: number) => Promise<string>): Promise<string[]> => {
      let nth = 0;
      return repeatedly(signal, { lanes: 1, pauseMs: 1 }, () => attempt((nth += 1)));
    };
    const scale = (nth: number): Promise<string> =>
      rig.command(ScaleDeployment, { account, deployment: engine, replicas: 1 + (nth % 2) }).then(() => 'scaled', codeOr);
    const point = (nth: number): Promise<string> =>
      rig.command(PointAlias, { account, alias: 'churned', deployment: nth % 2 ? engine : deployment }).then(() => 'pointed', codeOr);
    const turn = (nth: number): Promise<string> =>
      nth % 2
        ? rig.command(StopDeployment, { account, deployment }).then(() => 'stopped', codeOr)
        : rig.command(ResumeDeployment, { account, deployment }).then(() => 'resumed', codeOr);
    const answers = await Promise.all([scale, point, turn].map(loop));
    return answers.flat();
  }

  #whenSeen(account: AccountId, id: DeploymentId, wanted: (view: DeploymentView) => boolean): Promise<DeploymentView> {
    const seen = async (): Promise<DeploymentView | null> => {
      const view = await this.rig.view(account, id);
      return view && wanted(view) ? view : null;
    };
    return until(`deployment ${id} is as wanted`, seen, 60_000, 100);
  }

  /** Takes away what may still be changed: an account that changed too much keeps the rest. */
  async #clear(account: AccountId): Promise<void> {
    const { rig } = this;
    const list = async (): Promise<readonly DeploymentView[]> => (await rig.command(ListDeployments, { account })).deployments;
    for (const { id: deployment } of await list()) await rig.command(StopDeployment, { account, deployment }).catch(codeOr);
    const isCleared = async (): Promise<boolean> => {
      const left = await list();
      const done = left.filter(({ state }) => state === 'stopped' || state === 'failed');
      const codes = new Set<string>();
      for (const { id: deployment } of done)
        await rig.command(DeleteDeployment, { account, deployment }).catch((error: unknown) => codes.add(codeOr(error)));
      return left.length === 0 || codes.has('rate_limit_exceeded');
    };
    await until(`nothing of account ${account} is left`, isCleared, 120_000, 200);
  }
}
