import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { WORK_STREAMS } from '@slipway/contracts';
import { ensureWorkStream, findTlsTrouble } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority, makeCertificate, type MadeCertificate, validFor } from '../../../apps/cli/src/certs/make-certificates.js';
import { ENV } from '../../services/bus.js';
import { anItem } from '../an-item.js';
import { OwnNameStage } from '../own-name-stage.js';
import { until } from '../until.js';

const HOUR_MS = 3_600_000;
const WITHIN_MS = 40_000;
const folder = mkdtempSync(join(tmpdir(), 'slipway-bus-tls-'));
// Runners are another user, and read the files too.
chmodSync(folder, 0o755);
const at = (name: string): string => join(folder, name);
const client = { ca: at('ca.pem'), cert: at('client.pem'), key: at('client.key') };
const server = { ca: at('ca.pem'), cert: at('server.pem'), key: at('server.key'), verify: true };

async function write(name: string, { cert, key }: MadeCertificate): Promise<void> {
  await writeFile(at(`${name}.key`), key);
  await writeFile(at(`${name}.pem`), cert);
}

/** Makes certificates of an authority for servers and clients. */
async function issue(authority: MadeCertificate, validity = validFor(2)): Promise<void> {
  await write('server', await makeCertificate(authority, { name: 'server', hosts: ['localhost', '127.0.0.1'], ...validity }));
  await write('client', await makeCertificate(authority, { name: 'client', hosts: [], ...validFor(2) }));
}

let first: MadeCertificate;
let second: MadeCertificate;
beforeAll(async () => {
  [first, second] = [await makeAuthority('first', validFor(2)), await makeAuthority('second', validFor(2))];
  await writeFile(at('ca.pem'), first.cert);
  await issue(first);
});
const stage = OwnNameStage.around({ nodes: 3, tls: { server, client } });
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Common name of the certificate that a route port shows: there TLS begins before anything is said. */
async function shownAt(address: string): Promise<string> {
  const [host = '', port] = address.split(':');
  const [ca, cert, key] = await Promise.all([client.ca, server.cert, server.key].map((path) => readFile(path)));
  const socket = connect({ host, port: Number(port), ca, cert, key });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

/** Why the servers refuse a client with an authority's certificates; null where they do not. */
const refusalWith = (authority: string): Promise<unknown> => findTlsTrouble(stage.rig.bus.url, { ...client, ca: authority });

/** Restarts every server, one after the other, each once its neighbours accept its certificate. */
async function restartAll(): Promise<void> {
  for (const node of stage.rig.bus.servers) {
    await node.kill('SIGTERM');
    await node.restart();
  }
}

const answer = async (): Promise<string> => (await stage.rig.ask(1, 'Hello', { maxTokens: 40 }).done).text;

async function readyz(): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${stage.agent.opsPort()}/readyz`);
  return { status: response.status, text: await response.text() };
}

describe('a cluster that speaks TLS alone', () => {
  it('serves agents, runners and JetStream', async () => {
    for (const route of stage.rig.bus.routes) expect(await shownAt(route)).toBe('server');
    expect(await findTlsTrouble(stage.rig.bus.url, client)).toBeNull();
    const boot = await stage.rig.connect('boot');
    for (const stream of WORK_STREAMS) {
      await until(
        `the stream ${stream.name} has three copies`,
        () =>
          ensureWorkStream(stream, { nats: boot, env: ENV, replicas: 3, timeoutMs: 5_000 }).then(
            () => true,
            () => false,
          ),
        WITHIN_MS,
      );
    }
    stage.rig.assign(stage.agent, [anItem(1)]);
    await stage.rig.ready(stage.agent, 1);
    expect(await answer()).not.toBe('');
    expect(await readyz()).toMatchObject({ status: 200 });
  });

  it('breaks no stream when authority, certificates and servers change', async () => {
    const wanted = await answer();
    let isOver = false;
    const asking = (async () => {
      const answers: string[] = [];
      while (!isOver) answers.push(await answer());
      return answers;
    })();
    asking.catch(() => undefined);
    // Both authorities are trusted first, everywhere; then the second one signs; then the first one goes.
    await writeFile(at('ca.pem'), `${first.cert}${second.cert}`);
    await Promise.all(stage.rig.bus.servers.map((node) => node.reload()));
    await until('the agent trusts both', () => stage.agent.output().includes('nats.certificates_changed'), WITHIN_MS);
    await issue(second);
    await Promise.all(stage.rig.bus.servers.map((node) => node.reload()));
    await writeFile(at('new-ca.pem'), second.cert);
    await until('all servers show the new certificate', async () => (await refusalWith(at('new-ca.pem'))) === null, WITHIN_MS);
    await restartAll();
    await writeFile(at('ca.pem'), second.cert);
    await Promise.all(stage.rig.bus.servers.map((node) => node.reload()));
    isOver = true;
    const answers = await asking;
    expect(answers.length).toBeGreaterThan(0);
    expect(new Set(answers)).toEqual(new Set([wanted]));
    await writeFile(at('old-ca.pem'), first.cert);
    expect(await refusalWith(at('old-ca.pem'))).toMatchObject({ reason: 'unknown_authority' });
  });

  it('names expired certificates in the readiness of workers', async () => {
    await issue(second, { from: new Date(Date.now() - 2 * HOUR_MS), to: new Date(Date.now() - HOUR_MS) });
    await restartAll();
    await until('the worker says why', async () => (await readyz()).text.includes('its certificate has expired'), WITHIN_MS);
    expect((await readyz()).status).toBe(503);
    const joining = stage.rig.startAgent();
    joining.catch(() => undefined);
    await issue(second);
    await restartAll();
    await until('the worker is ready again', async () => (await readyz()).status === 200, WITHIN_MS);
    await joining;
    expect(await answer()).not.toBe('');
  });
});
