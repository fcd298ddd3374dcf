import { readFile } from 'node:fs/promises';
import type { Server } from 'node:tls';
import type { Logger } from '../log/logger.js';
import { assertPair, expiryOf } from './pem-files.js';

/** Time between two looks at the files, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

/** Paths of PEM files. */
export interface CertificateFiles {
  /** The certificate, with its chain. */
  readonly cert: string;
  readonly key: string;
}

/** What surrounds a served certificate. */
export interface ServedCertificateOptions {
  readonly log: Logger;
  /** Called with the expiry of the certificate that is served from now on, in milliseconds since 1970. */
  readonly served?: (expiry: number) => void;
  /** Time between two looks, in milliseconds; 5,000 unless given. */
  readonly everyMs?: number;
}

/** The certificate of a TLS server. Files that change are served at new connections; while they are wrong, the last good ones are. */
export class ServedCertificate {
  #timer: NodeJS.Timeout | undefined;
  #served = '';
  #wrong = { text: '', looks: 0 };

  constructor(
    private readonly files: CertificateFiles,
    private readonly options: ServedCertificateOptions,
  ) {}

  /** Gives the certificate to a server, now and whenever the files change. @throws Error when they cannot be read or do not match */
  async start(server: Server): Promise<void> {
    this.#serve(server, await this.#read());
    this.#timer = setInterval(() => void this.#look(server), this.options.everyMs ?? LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #read(): Promise<readonly [cert: string, key: string]> {
    const { cert, key } = this.files;
    return Promise.all([readFile(cert, 'utf8'), readFile(key, 'utf8')]);
  }

  async #look(server: Server): Promise<void> {
    const { log } = this.options;
    let text = '';
    try {
      const pair = await this.#read();
      text = pair.join('');
      if (text !== this.#served) {
        this.#serve(server, pair);
        log.info('tls.certificate_changed');
      }
      this.#wrong = { text: '', looks: 0 };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#wrong = { text, looks: this.#wrong.text === text ? this.#wrong.looks + 1 : 1 };
      // The two files change one after the other: what is wrong at a second look is wrong.
      if (this.#wrong.looks === 2) log.error({ detail: code ?? message }, 'tls.certificate_refused');
    }
  }

  #serve(server: Server, [cert, key]: readonly [string, string]): void {
    assertPair(cert, key);
    server.setSecureContext({ cert, key });
    this.#served = cert + key;
    this.options.served?.(expiryOf(cert));
  }
}
