import { createHash } from 'node:crypto';
import { FindVersion, OpenUpload, type AccountId, type DatasetId, type VersionView } from '@slipway/contracts';
import { until } from '../testing/until.js';
import type { TuningRig } from './rig.js';

/** Conversations of two messages, one a line. */
export const conversations = (count: number, answer = (n: number): string => `Answer ${n}`): string =>
  Array.from({ length: count }, (_, n) => {
    const messages = [
      { role: 'user', content: `Question ${n}` },
      { role: 'assistant', content: answer(n) },
    ];
    return `${JSON.stringify({ messages })}\n`;
  }).join('');

export const sha256Of = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Sends and fetches bytes at the blob door, as the console's relay does. */
export class DoorClient {
  #url: Promise<string> | undefined;

  constructor(private readonly rig: TuningRig) {}

  /** Address of the door now; it changes when the service is started again. */
  async url(path: string): Promise<string> {
    this.#url ??= this.rig.doorUrl();
    return `${await this.#url}${path}`;
  }

  moved(): void {
    this.#url = undefined;
  }

  async put(path: string, body: string | Uint8Array): Promise<Response> {
    return fetch(await this.url(path), { method: 'PUT', body });
  }

  /** The offset of an upload, by tus. */
  async offset(path: string): Promise<number | null> {
    const answer = await fetch(await this.url(path), { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } });
    return answer.status === 200 ? Number(answer.headers.get('upload-offset')) : null;
  }

  /** Sends a piece by tus. */
  async patch(path: string, offset: number, body: Uint8Array | ReadableStream): Promise<Response> {
    const headers = { 'tus-resumable': '1.0.0', 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
    return fetch(await this.url(path), { method: 'PATCH', headers, body, duplex: 'half' });
  }
}

/** Uploads a file by one PUT. @returns number of its version */
export async function uploadFile(
  rig: TuningRig,
  { account, dataset, text, ...more }: { account: AccountId; dataset: DatasetId; text: string | Uint8Array } & Record<string, unknown>,
): Promise<number> {
  const { path } = await rig.ask(OpenUpload, { account, dataset, ...more });
  const answer = await new DoorClient(rig).put(path, text);
  if (answer.status !== 201) throw new Error(`The upload was answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { version: number }).version;
}

/** Waits until a version was checked. */
export function checked(rig: TuningRig, account: AccountId, dataset: DatasetId, version: number): Promise<VersionView> {
  return until(`version ${version} of data set ${dataset} is checked`, async () => {
    const { version: view } = await rig.ask(FindVersion, { account, dataset, version });
    return (view.state === 'ready' || view.state === 'invalid') && view;
  });
}
