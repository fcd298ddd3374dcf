import { ConfigError } from '../../config/config-error.js';
import type { Logger } from '../../log/logger.js';
import { expiriesOf, type NatsTlsContent, type NatsTlsFiles, readNatsTls } from './tls-files.js';
import { tlsTrouble, type TlsTrouble } from './server-answer.js';

/** Time between two looks, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

/** What a guard watches. */
export interface TlsGuardOptions {
  /** Server addresses, separated by commas. */
  readonly url: string;
  readonly tls: NatsTlsFiles | undefined;
  readonly name: string;
  readonly log: Logger;
  readonly isUp: () => boolean;
  /** Leaves the present connection for a new one, which reads the files again. */
  readonly moveOver: () => Promise<void>;
  /** Called with each change, and once per look with the expiries of the files, in milliseconds since 1970. */
  readonly seen?: (trouble: TlsTrouble | null, expiries: { readonly ca?: number; readonly cert?: number }) => void;
  /** Time between two looks, in milliseconds; 5,000 unless given. */
  readonly everyMs?: number;
}

/**
 * Watches TLS of one connection. While it is down, the guard finds out whether TLS is why. While it is up and the files change, it
 * tries the new ones on a connection of its own: the connection moves over if a server accepts them, else it stays as it is.
 */
export class TlsGuard {
  #timer: NodeJS.Timeout | undefined;
  #known: string | undefined;
  #trouble: string | null = null;
  #looking = false;

  constructor(private readonly options: TlsGuardOptions) {}

  /** What is wrong with TLS, with the server's address; null when nothing is known to be. */
  get trouble(): string | null {
    return this.#trouble;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), this.options.everyMs ?? LOOK_EVERY_MS).unref();
    void this.look();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks once. Does not reject. */
  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#look();
    } finally {
      this.#looking = false;
    }
  }

  async #look(): Promise<void> {
    const { isUp } = this.options;
    const content = await this.#read();
    if (content === null) return;
    const text = JSON.stringify(content);
    const expiries = content ? expiriesOf(content) : {};
    this.#known ??= text;
    const changed = text !== this.#known;
    if (isUp() && !changed) return this.#note(null, null, expiries);
    const found = await firstTrouble(this.options.url, content);
    this.#note(found, found?.server ?? null, expiries);
    if (found || !changed) return;
    this.#known = text;
    if (isUp()) await this.#moveOver();
  }

  /** The files' content, undefined where none are configured, null where they are wrong. */
  async #read(): Promise<NatsTlsContent | undefined | null> {
    const { tls } = this.options;
    try {
      return tls && (await readNatsTls(tls));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#note({ reason: 'files', text: error.problems.join('; ') }, null, {});
      return null;
    }
  }

  async #moveOver(): Promise<void> {
    this.options.log.info({ connection: this.options.name }, 'nats.certificates_changed');
    await this.options.moveOver();
  }

  #note(trouble: TlsTrouble | null, server: string | null, expiries: { readonly ca?: number; readonly cert?: number }): void {
    const { log, name, seen, isUp } = this.options;
    const text = trouble && (server === null ? trouble.text : `${server}: ${trouble.text}`);
    if (text !== null && text !== this.#trouble)
      log.error({ connection: name, reason: trouble?.reason, detail: text, kept: isUp() }, 'nats.tls_refused');
    this.#trouble = text;
    seen?.(trouble, expiries);
  }
}

interface FoundTrouble extends TlsTrouble {
  /** Host and port of the server. */
  readonly server: string;
}

/** The first server whose TLS fails. */
async function firstTrouble(url: string, content: NatsTlsContent | undefined): Promise<FoundTrouble | null> {
  for (const server of url.split(',').map((one) => one.trim())) {
    const trouble = await tlsTrouble({ server, url, content });
    if (trouble) return { ...trouble, server: new URL(server.includes('://') ? server : `nats://${server}`).host };
  }
  return null;
}

/** Finds out whether TLS is why no server can be connected to. @throws ConfigError for files that are missing or malformed */
export const findTlsTrouble = async (url: string, tls: NatsTlsFiles | undefined): Promise<FoundTrouble | null> =>
  firstTrouble(url, tls && (await readNatsTls(tls)));
