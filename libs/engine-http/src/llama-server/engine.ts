import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AccountId, type CanonicalRequest, type ModelSource, ServiceError, type Usage } from '@slipway/contracts';
import {
  type Engine,
  type EngineFacts,
  type EngineKind,
  type EngineLoad,
  EngineLoadError,
  type EngineOutput,
  type EngineProgram,
  type EngineSettings,
  fingerprint,
  isEmbeddingModel,
  type TokenCount,
} from '@slipway/engine';
import { withinTime } from '@slipway/platform';
import { HttpEngine } from '../http-engine.js';
import { UpstreamClient } from '../upstream-client.js';
import { type EngineOptions, serverArguments } from './arguments.js';
import { ServerProcess } from './server-process.js';

const ALIAS = 'model';
/** Only a name: the connection goes to the socket. */
const URL = 'http://llama-server';
/** While a model loads, the server answers 503. Longer without any answer, it hangs. In milliseconds. */
const LOAD_SILENCE_MS = 60_000;
const HEALTH_EVERY_MS = 100;
const HEALTH_MS = 5_000;
/** Time between a broken connection and the notice that the process ended, in milliseconds. */
const END_KNOWN_MS = 500;

interface ServerAddress {
  readonly url: string;
  readonly socketPath: string;
  readonly credential: string;
}

/** A GGUF file, and the options of its deployment. */
export interface LlamaServerSource {
  readonly path: string;
  readonly options: EngineOptions;
}

/**
 * A GGUF model in a llama-server that this engine starts and ends. They speak over a socket in a folder that only this user can
 * enter, with a key that is made for the one process.
 */
export class LlamaServerEngine implements Engine {
  readonly lost: Promise<EngineLoadError>;
  #lose: (error: EngineLoadError) => void = () => undefined;
  #server: ServerProcess | null = null;
  #relay: HttpEngine | null = null;
  #isClosed = false;

  constructor(
    private readonly source: LlamaServerSource,
    private readonly settings: EngineSettings,
  ) {
    this.lost = new Promise((resolve) => (this.#lose = resolve));
  }

  async load(onProgress: (progress: number) => void, signal: AbortSignal): Promise<EngineFacts> {
    const { path } = this.source;
    const { program } = this.settings;
    if (!program) throw new EngineLoadError('engine_refused', 'This worker has no llama-server.');
    await access(path, constants.R_OK).catch((cause: unknown) => {
      throw new EngineLoadError('model_missing', 'The worker cannot read the model file.', { cause });
    });
    try {
      const facts = await this.#start(program, onProgress, signal);
      this.settings.log.info({ context: facts.context, slots: facts.slots }, 'llama_server.loaded');
      return { ...facts, fingerprint: await this.#fingerprint(program) };
    } catch (error) {
      await this.unload();
      throw error;
    }
  }

  current(): EngineLoad {
    return this.#relay?.current() ?? { running: 0, queued: 0 };
  }

  async check(signal: AbortSignal): Promise<void> {
    try {
      await this.#loaded().check(signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw new EngineLoadError('engine_crashed', 'llama-server does not answer and was ended.', { cause });
    }
  }

  async generate(request: CanonicalRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage> {
    return this.#loaded().generate(request, output, signal);
  }

  async embed(request: CanonicalRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage> {
    return this.#loaded().embed(request, output, signal);
  }

  async count(request: CanonicalRequest, signal: AbortSignal, account: AccountId | null): Promise<TokenCount> {
    return this.#loaded().count(request, signal, account);
  }

  async unload(): Promise<void> {
    this.#isClosed = true;
    await this.#relay?.unload();
    await this.#server?.stop();
  }

  #loaded(): HttpEngine {
    if (this.#isClosed) throw new ServiceError('server_shutting_down', 'The model is being unloaded.', { retryAfterS: 1 });
    if (!this.#relay) throw new ServiceError('deployment_unavailable', 'The model is not loaded yet.', { retryAfterS: 1 });
    return this.#relay;
  }

  async #start(program: EngineProgram, onProgress: (progress: number) => void, signal: AbortSignal): Promise<EngineFacts> {
    const { source, settings } = this;
    // Before the folder is made, which the server's process removes.
    const embeds = await isEmbeddingModel(source.path);
    const args = serverArguments({ path: source.path, alias: ALIAS, options: source.options, embeds }, settings);
    const folder = await mkdtemp(join(tmpdir(), 'slipway-llama-'));
    const socketPath = join(folder, 'http.sock');
    const address = { url: URL, socketPath, credential: randomBytes(32).toString('base64url') };
    const server = new ServerProcess({
      program: program.path,
      // Of an argument that is given twice the last one counts.
      args: [...program.args, ...args, '--host', socketPath],
      apiKey: address.credential,
      folder,
      log: settings.log,
    });
    this.#server = server;
    const dead = new AbortController();
    void server.ended.then((how) => {
      dead.abort(server.loadError(how));
      if (!this.#isClosed) this.#lose(new EngineLoadError('engine_crashed', `llama-server ended: ${how}.`));
    });
    const alive = AbortSignal.any([signal, dead.signal]);
    try {
      await untilHealthy(address, alive);
      this.#relay = new HttpEngine(
        { url: URL, model: ALIAS, socketPath, matryoshka: source.options['matryoshka'] === 'on' },
        { ...settings, credential: address.credential, imageHosts: [] },
      );
      const facts = await this.#relay.load(onProgress, alive);
      server.loaded();
      return facts;
    } catch (error) {
      // Its socket may have closed a moment before its end is known.
      await Promise.race([server.ended, delay(END_KNOWN_MS)]);
      alive.throwIfAborted();
      throw error;
    }
  }

  async #fingerprint(program: EngineProgram): Promise<string> {
    const { size } = await stat(program.path);
    return fingerprint(this.source.path, `llama-server ${JSON.stringify([size, program.args, this.source.options])}`);
  }
}

/** Resolves when a server has loaded its model. @throws EngineLoadError for one that gives no answer for too long */
async function untilHealthy(address: ServerAddress, signal: AbortSignal): Promise<void> {
  const client = new UpstreamClient({ ...address, connections: 1, connectTimeoutMs: HEALTH_MS });
  try {
    let answeredAt = performance.now();
    for (;;) {
      const status = await healthOf(client, signal);
      if (status === 200) return;
      if (status !== null) answeredAt = performance.now();
      if (performance.now() - answeredAt > LOAD_SILENCE_MS) {
        throw new EngineLoadError(
          'engine_crashed',
          `llama-server did not answer for ${LOAD_SILENCE_MS / 1_000} s while it loaded the model.`,
        );
      }
      await delay(HEALTH_EVERY_MS);
    }
  } finally {
    await client.close();
  }
}

/** The status of its health; null where it does not answer. Rejects with the signal's reason after an abort. */
async function healthOf(client: UpstreamClient, signal: AbortSignal): Promise<number | null> {
  try {
    return (await withinTime(signal, HEALTH_MS, (timed) => client.ask('/../health', { signal: timed, textBytes: 1_024 }))).status;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** Engines of GGUF files, run by the operator's llama-server. */
export const llamaServerKind: EngineKind<Extract<ModelSource, { kind: 'file' }>> = {
  kind: 'llama-server',
  create: ({ path, engine }, settings) => new LlamaServerEngine({ path, options: engine?.options ?? {} }, settings),
};
