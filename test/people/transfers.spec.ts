import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AcceptInvitation, AddExamples, CreateInvitation, FindBlobDoor } from '@slipway/contracts';
import type { RpcResponder } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerCalls } from '../services/answer-calls.js';
import { codeOf, ConsoleScene } from './console-scene.js';
import { as, PASSWORD } from './people-world.js';

const TICKET = 'a-ticket-that-belongs-in-no-log-0001';
const MIB = 1024 * 1024;

let scene: ConsoleScene;
let blobs: Server;
const responders: RpcResponder[] = [];
/** Bodies of `AddExamples`, by the number of their examples. */
const added: number[] = [];

/** A blob door that says what came, and gives a file to who asks for one. */
async function answer(request: IncomingMessage): Promise<{ readonly text: string; readonly headers: Record<string, string> }> {
  const hash = createHash('sha256');
  for await (const piece of request) hash.update(piece as Buffer);
  const text = JSON.stringify({ method: request.method, path: request.url, sha256: hash.digest('hex') });
  return { text, headers: { 'content-type': 'application/json', 'tus-resumable': '1.0.0' } };
}

beforeAll(async () => {
  scene = await ConsoleScene.start();
  blobs = createServer((request, response) => {
    void answer(request).then(({ text, headers }) => response.writeHead(200, headers).end(text));
  });
  await new Promise<void>((resolve) => blobs.listen(0, '127.0.0.1', resolve));
  const nats = await scene.world.keys.bus.connect('tuning');
  const { port } = blobs.address() as AddressInfo;
  responders.push(
    await answerCalls(nats, FindBlobDoor, () => ({ url: `http://127.0.0.1:${port}` })),
    await answerCalls(nats, AddExamples, ({ examples }) => ({ version: added.push(examples.length) })),
  );
});
afterAll(async () => {
  await Promise.all(responders.map((responder) => responder.close()));
  blobs?.close();
  await scene?.end();
});

describe('files through the console', () => {
  it('need a ticket alone, and leave it in no log', async () => {
    const file = randomBytes(2 * MIB);
    const upload = await fetch(`${scene.door.url}/uploads/${TICKET}`, { method: 'PUT', body: file });
    expect(await upload.json()).toEqual({
      method: 'PUT',
      path: `/uploads/${TICKET}`,
      sha256: createHash('sha256').update(file).digest('hex'),
    });
    const saved = await fetch(`${scene.door.url}/downloads/${TICKET}`);
    expect(Object.fromEntries(saved.headers)).toMatchObject({
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'") as string,
    });
    expect(scene.door.output).toContain('"route":"uploads"');
    expect(scene.door.output).not.toContain(TICKET);
  });

  it('of pages of other sites are refused', async () => {
    const headers = { origin: 'https://evil.example.com' };
    const refused = await fetch(`${scene.door.url}/uploads/${TICKET}`, { method: 'PUT', headers, body: 'x' });
    expect(refused.status).toBe(403);
  });
});

describe('calls about data sets', () => {
  it('take examples of 128 KiB, and other bodies up to 64', async () => {
    const owner = await scene.signedIn();
    const examples = [{ messages: [{ role: 'user', content: 'x'.repeat(120 * 1024) }] }];
    const body = { dataset: 1, base_version: null, examples };
    expect((await owner.post('/api/versions/add-examples', body)).status).toBe(200);
    expect(added).toEqual([1]);
    expect(codeOf(await owner.post('/api/datasets/find', { dataset: 1, more: 'x'.repeat(70 * 1024) }))).toEqual([413, 'request_too_large']);
  });

  it('that show text are refused to viewers', async () => {
    const { owner, world } = scene;
    const email = world.email('viewer');
    const invited = { account: owner.account, email, role: 'viewer', actor: as(owner.user) } as const;
    const { token } = await world.ask(CreateInvitation, invited);
    await world.ask(AcceptInvitation, { token, password: PASSWORD, origin: { address: '192.0.2.7' } });
    const viewer = await scene.signedIn({ email });
    for (const name of [
      'examples/list',
      'jobs/samples',
      'jobs/output',
      'jobs/plan',
      'adapters/answers',
      'versions/download',
      'adapters/export',
    ])
      expect([name, ...codeOf(await viewer.post(`/api/${name}`, {}))]).toEqual([name, 403, 'not_permitted']);
  });
});
