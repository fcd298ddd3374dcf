import { EngineLoadError } from '@slipway/engine';
import { withinTime } from '@slipway/platform';
import { checkUpstream } from './probe.js';
import { UpstreamClient } from './upstream-client.js';

/** How long an answer stands for whoever asks next, in milliseconds: less than the time between two checks of one engine. */
const FRESH_MS = 4_000;
/** One for the question that runs, one beside it for an engine that has counted that one already. */
const CONNECTIONS = 2;

export interface CheckedServer {
  readonly url: string;
  readonly socketPath: string | undefined;
  readonly credential: string | undefined;
  readonly connectMs: number;
  /** Time for an answer. */
  readonly answerMs: number;
}

/** One question and what came of it. */
interface Question {
  readonly no: number;
  readonly answer: Promise<void>;
  isFresh: () => boolean;
}

/**
 * Asks servers whether they can answer, once for all engines that name the same address and credential: many deployments of
 * one server cost it, and the event loop that everybody's streams go through, as little as one.
 */
export class SharedChecks {
  readonly #servers = new Map<string, ServerCheck>();

  /** Opens the check of one engine; close it with the engine. */
  open(server: CheckedServer): EngineCheck {
    const key = JSON.stringify([server.url, server.socketPath, server.credential, server.connectMs, server.answerMs]);
    const shared = this.#servers.get(key) ?? new ServerCheck(server);
    this.#servers.set(key, shared);
    shared.users += 1;
    return new EngineCheck(shared, async () => {
      shared.users -= 1;
      if (shared.users > 0) return;
      this.#servers.delete(key);
      await shared.close();
    });
  }
}

/** What one engine knows of its server. It gets no answer twice, so that three failures are three checks. */
export class EngineCheck {
  #seen = 0;
  #isClosed = false;

  constructor(
    private readonly shared: ServerCheck,
    private readonly release: () => Promise<void>,
  ) {}

  /** Rejects with the signal's reason after it aborts. @throws EngineLoadError where the server does not answer as it should. */
  async ask(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { no, answer } = this.shared.newerThan(this.#seen);
    this.#seen = no;
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason as Error);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      await Promise.race([answer, left]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Repeating it is harmless. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.release();
  }
}

class ServerCheck {
  /** Engines that may ask. */
  users = 0;
  readonly #client: UpstreamClient;
  readonly #closed = new AbortController();
  #latest: Question | null = null;

  constructor(private readonly server: CheckedServer) {
    const { url, socketPath, credential, connectMs } = server;
    this.#client = new UpstreamClient({ url, socketPath, credential, connections: CONNECTIONS, connectTimeoutMs: connectMs });
  }

  /** The latest question if it is newer than this one and its answer is fresh or still to come; else a new one. */
  newerThan(seen: number): Question {
    const latest = this.#latest;
    if (latest && latest.no > seen && latest.isFresh()) return latest;
    const question: Question = { no: (latest?.no ?? 0) + 1, answer: this.#ask(), isFresh: () => true };
    const ended = (): void => {
      const freshUntil = performance.now() + FRESH_MS;
      question.isFresh = () => performance.now() < freshUntil;
    };
    question.answer.then(ended, ended);
    this.#latest = question;
    return question;
  }

  async close(): Promise<void> {
    this.#closed.abort(new EngineLoadError('engine_unreachable', 'The engine is unloaded.'));
    await this.#client.close();
  }

  async #ask(): Promise<void> {
    try {
      await withinTime(this.#closed.signal, this.server.answerMs, (timed) => checkUpstream(this.#client, timed));
    } catch (error) {
      throw error instanceof EngineLoadError
        ? error
        : new EngineLoadError('engine_unreachable', 'The engine does not answer properly.', { cause: error });
    }
  }
}
