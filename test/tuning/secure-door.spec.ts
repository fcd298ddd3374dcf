import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenBlob, OpenUpload, type AccountId, type DatasetId } from '@slipway/contracts';
import { ModelDownloads } from '@slipway/model-store';
import { createLogger, RpcClient, trustingFetch } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { makeAuthority, makeCertificate, type MadeCertificate, validFor } from '../../apps/cli/src/certs/make-certificates.js';
import { OwnOrigin } from '../../apps/console/src/http/own-origin.js';
import { BlobDoor } from '../../apps/console/src/transfers/blob-door.js';
import { TransferRelay } from '../../apps/console/src/transfers/transfer-relay.js';
import { BlobFiles } from '../../apps/training-worker/src/agent/blob-files.js';
import { TuningServiceConfig } from '../../apps/tuning-service/src/config.js';
import { ENV } from '../services/bus.js';
import { opened, postgresTest } from '../services/rig-test.js';
import { checked, conversations, sha256Of } from './bytes.js';
import { anAccount, TuningRig } from './rig.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-door-'));
const at = (name: string): string => join(folder, name);
const CA = at('ca.pem');
const HOSTS = ['localhost', '127.0.0.1'];
let authority: MadeCertificate;

async function write(name: string, { cert, key }: MadeCertificate): Promise<void> {
  await writeFile(at(`${name}.key`), key);
  await writeFile(at(`${name}.pem`), cert);
}

beforeAll(async () => {
  const other = await makeAuthority('wrong', validFor(2));
  authority = await makeAuthority('right', validFor(2));
  await write('ca', authority);
  await write('other-ca', other);
  await write('door', await makeCertificate(authority, { name: 'first', hosts: HOSTS, ...validFor(1) }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const doorTest = postgresTest.extend<{ rig: TuningRig }>({
  rig: [
    opened(async (postgres) => {
      const rig = await TuningRig.open(postgres);
      await rig.startReplica({ BLOB_CERT: at('door.pem'), BLOB_KEY: at('door.key') });
      return rig;
    }),
    { scope: 'file' },
  ],
});

interface Stored {
  readonly account: AccountId;
  readonly dataset: DatasetId;
  readonly version: number;
  readonly text: string;
}

/** Uploads a file by what trusts the door. */
async function upload(rig: TuningRig, send: (path: string, body: string) => Promise<Response>): Promise<Stored> {
  const account = anAccount();
  const dataset = await rig.createDataset(account);
  const text = conversations(20);
  const { path } = await rig.ask(OpenUpload, { account, dataset });
  const answer = await send(path, text);
  expect([answer.status, await answer.json()]).toEqual([201, expect.objectContaining({ dataset, version: 1 })]);
  await checked(rig, account, dataset, 1);
  return { account, dataset, version: 1, text };
}

describe('a blob door with a certificate', () => {
  doorTest('takes uploads of those who trust its authority', async ({ rig }) => {
    const door = await rig.doorUrl();
    expect(door).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const send = trustingFetch(CA);
    await upload(rig, (path, body) => send(`${door}${path}`, { method: 'PUT', body }));
    for (const stranger of [fetch, trustingFetch(at('other-ca.pem')), trustingFetch(at('missing.pem'))]) {
      await expect(stranger(`${door}/uploads/x`)).rejects.toThrow('fetch failed');
    }
  });

  doorTest('takes uploads through the console', async ({ rig }) => {
    const door = await rig.doorUrl();
    const rpc = { call: () => Promise.resolve({ url: door }) };
    const own = new OwnOrigin({ baseUrl: undefined, host: '127.0.0.1', port: 8081 });
    const line = { note: () => undefined, cause: () => undefined };
    const relays = [CA, at('other-ca.pem')].map((ca) => new TransferRelay(new BlobDoor(rpc as never, ca), own));
    const [console, stranger] = await Promise.all(
      relays.map(async (relay) => {
        const server = createServer((request, response) => void relay.serve({ request, response, line })).listen(0, '127.0.0.1');
        await once(server, 'listening');
        return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
      }),
    );
    await upload(rig, (path, body) => fetch(`${console?.url}${path}`, { method: 'PUT', body }));
    const refused = await fetch(`${stranger?.url}/uploads/${'x'.repeat(30)}`, { method: 'PUT', body: 'x' });
    expect(refused.status).toBe(503);
    for (const one of [console, stranger]) one?.server.close();
  });

  doorTest('gives training workers and workers their files', async ({ rig }) => {
    const send = trustingFetch(CA);
    const door = await rig.doorUrl();
    const { text, ...of } = await upload(rig, (path, body) => send(`${door}${path}`, { method: 'PUT', body }));
    const rpc = new RpcClient(await rig.connect('trainer'), ENV);
    const { signal } = new AbortController();
    const blob = { of: 'version' as const, ...of };
    await new BlobFiles(rpc, CA).fetch(blob, at('data.jsonl'), { signal });
    const bytes = await readFile(at('data.jsonl'));
    expect(bytes.toString().trim().split('\n')).toHaveLength(text.trim().split('\n').length);
    const log = createLogger('test', 'silent');
    const downloads = new ModelDownloads({
      ...{ folder: at('cache'), hosts: [], maxBytes: null, stallMs: 5_000, log },
      doorFetch: trustingFetch(CA),
    });
    await downloads.open();
    const address = async (): Promise<string> => (await rpc.call(OpenBlob, { blob })).url;
    const { path } = await downloads.fetch({ uri: 'adapter:x', sha256: sha256Of(bytes), address }, () => undefined, signal);
    expect(await readFile(path)).toEqual(bytes);
    await downloads.suspend();
  });
});

describe('settings of the blob door', () => {
  const base = { TUNING_DATABASE_URL: 'postgres://127.0.0.1/x' };
  const faults = (settings: object): string[] =>
    (TuningServiceConfig.safeParse({ ...base, ...settings }).error?.issues ?? []).map(({ path, message }) => `${path.join()}: ${message}`);

  doorTest('refuse files that make no certificate', async () => {
    await write('pair', await makeCertificate(authority, { name: 'pair', hosts: HOSTS, ...validFor(1) }));
    const [BLOB_CERT, BLOB_KEY] = [at('pair.pem'), at('pair.key')];
    expect(faults({ BLOB_CERT, BLOB_KEY, BLOB_DOOR_URL: 'https://door:9100' })).toEqual([]);
    expect(faults({ BLOB_CERT })).toEqual(['BLOB_KEY: belongs to BLOB_CERT: set both or none']);
    expect(faults({ BLOB_CERT, BLOB_KEY: at('ca.key') })).toEqual(['BLOB_KEY: is not the key of the certificate in BLOB_CERT']);
    expect(faults({ BLOB_CERT: BLOB_KEY, BLOB_KEY: at('missing') })).toEqual([
      'BLOB_CERT: must be a PEM file with certificates that can be read',
      'BLOB_KEY: must be a PEM file with a private key that can be read',
    ]);
    expect(faults({ BLOB_CERT, BLOB_KEY, BLOB_DOOR_URL: 'http://door:9100' })).toEqual([
      'BLOB_DOOR_URL: must be https where BLOB_CERT is set',
    ]);
  });
});
