import { readFile } from 'node:fs/promises';
import { FindBlobDoor } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';

/** How long an address is used before it is asked for again, in milliseconds. */
const KNOWN_MS = 60_000;

/** Where tuning-service takes and gives bytes. Its address is asked for once a minute, and after a failure. */
export class BlobDoor {
  #known: { readonly at: number; readonly url: Promise<string> } | undefined;

  /**
   * @param caFile authorities of the door's certificate; undefined = those that Node trusts
   * @param now milliseconds
   */
  constructor(
    private readonly rpc: Pick<RpcClient, 'call'>,
    private readonly caFile: string | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Address of the door, without a slash at its end.
   * @throws ServiceError `unavailable`
   */
  address(): Promise<string> {
    const known = this.#known;
    if (known && this.now() - known.at < KNOWN_MS) return known.url;
    const url = this.rpc.call(FindBlobDoor, {}).then((found) => found.url.replace(/\/+$/, ''));
    this.#known = { at: this.now(), url };
    url.catch(() => this.forget());
    return url;
  }

  /** The authorities to trust in a connection to it, as the file is now. @throws what the file system throws */
  async trusted(): Promise<{ readonly ca?: string }> {
    return this.caFile === undefined ? {} : { ca: await readFile(this.caFile, 'utf8') };
  }

  /** The next call asks again: the door did not answer at the address that was known. */
  forget(): void {
    this.#known = undefined;
  }
}
