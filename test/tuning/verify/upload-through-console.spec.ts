import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { DownloadDataset, FindUpload, OpenUpload } from '@slipway/contracts';
import { freePorts, startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleProcess } from '../../people/console-process.js';
import { PeopleWorld } from '../../people/people-world.js';
import { until } from '../../testing/until.js';
import { checked, conversations, sha256Of } from '../bytes.js';
import { anAccount, TuningRig } from '../rig.js';

const CUTS = 10;
const LINES = 100_000;

const consoles: ConsoleProcess[] = [];
afterEach(() => Promise.all(consoles.splice(0).map((one) => one.end())));

const tus = (offset: number) => ({
  'tus-resumable': '1.0.0',
  'upload-offset': String(offset),
  'content-type': 'application/offset+octet-stream',
});

/** Sends the beginning of a body by tus, and breaks the connection off in its middle. */
function sendCut(url: URL, offset: number, body: Buffer, most: number): Promise<void> {
  const headers = Object.entries({ ...tus(offset), host: url.host, 'content-length': String(body.length) });
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(`PATCH ${url.pathname} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
      socket.write(body.subarray(0, most), () => socket.destroySoon());
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

/** Where an upload goes on; null while the console does not answer. */
async function offsetOf(url: URL): Promise<number | null> {
  const answer = await fetch(url, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } }).catch(() => null);
  return answer?.status === 200 ? Number(answer.headers.get('upload-offset')) : null;
}

/** Sends a file up to this byte as a client does: from where the upload stands, and again when that has changed. */
function sendUpTo(url: URL, text: Buffer, end: number): Promise<number> {
  return until('the piece is taken', async () => {
    const from = await offsetOf(url);
    if (from === null) return null;
    const answer = await fetch(url, { method: 'PATCH', headers: tus(from), body: text.subarray(from, end) }).catch(() => null);
    return answer?.status === 204 && Number(answer.headers.get('upload-offset'));
  });
}

let postgres: TestPostgres;
let world: PeopleWorld;
let rig: TuningRig;
let port: number;
beforeAll(async () => {
  [postgres, world, [port = 0]] = await Promise.all([startTestPostgres(), PeopleWorld.start(), freePorts(1)]);
  rig = await TuningRig.open(postgres, world.keys.bus);
  await rig.startReplica();
});
afterAll(async () => {
  await rig?.close();
  await world?.end();
  await postgres?.stop();
});

async function startConsole(): Promise<ConsoleProcess> {
  const started = await ConsoleProcess.start(rig.bus, { CONSOLE_PORT: String(port) });
  consoles.push(started);
  return started;
}

describe('an upload through the console', () => {
  it('outlives ten cuts and consoles that are killed', async () => {
    let door = await startConsole();
    const text = Buffer.from(conversations(LINES, () => randomBytes(60).toString('hex')));
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    const { path, upload } = await rig.ask(OpenUpload, { account, dataset, bytes: text.length, sha256: sha256Of(text) });
    const url = new URL(path, door.url);
    const step = Math.floor(text.length / (CUTS + 1));
    let offset = 0;
    for (let cut = 0; cut < CUTS; cut += 1) {
      await sendCut(url, offset, text.subarray(offset), step);
      if (cut % 4 === 1) {
        await door.stop('SIGKILL');
        door = await startConsole();
      }
      // What the console had not passed on when its client broke off is lost; what came before it stays.
      const known = offset;
      offset = await until('the offset', async () => {
        const stored = await offsetOf(url);
        return stored !== null && { stored };
      }).then(({ stored }) => stored);
      expect(offset).toBeGreaterThanOrEqual(known);
      if (cut % 3 === 2) offset = await sendUpTo(url, text, offset + step);
    }
    expect(await sendUpTo(url, text, text.length)).toBe(text.length);
    expect((await rig.ask(FindUpload, { account, upload })).upload).toMatchObject({ state: 'complete', version: 1 });
    expect(await checked(rig, account, dataset, 1)).toMatchObject({ state: 'ready', examples: LINES });
    const saved = await rig.ask(DownloadDataset, { account, dataset, version: 1, what: 'original' });
    expect(sha256Of(Buffer.from(await (await fetch(new URL(saved.path, door.url))).arrayBuffer()))).toBe(sha256Of(text));
  });
});
