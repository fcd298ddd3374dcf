import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CERTIFICATE, ModelHost } from './model-host.js';
import { type Agent, alive, anItem, MODEL, until, WorkerRig } from './rig.js';

const model = readFileSync(MODEL);
let rig: WorkerRig;
let host: ModelHost;

beforeEach(async () => {
  rig = await new WorkerRig().open();
  host = await ModelHost.start();
});
afterEach(async () => {
  await rig.close();
  await host.stop();
});

const startAgent = (settings: NodeJS.ProcessEnv = {}): Promise<Agent> =>
  rig.startAgent({ NODE_EXTRA_CA_CERTS: CERTIFICATE, MODEL_HOSTS: `localhost:${host.port}`, MODEL_DIRS: '', ...settings });

const downloaded = (dep: number, uri: string) => anItem(dep, { source: { kind: 'download', uri } });
const cache = (): string[] => readdirSync(join(rig.folder, 'cache'));

const failure = (agent: Agent, dep: number) =>
  until(`deployment ${dep} has failed`, () => {
    const load = rig.loadOf(agent, dep);
    return load?.state === 'failed' && load;
  });

it('a model is fetched over https with its progress shown, served, and not fetched again by another agent', async () => {
  host.serve('/tiny.gguf', model, 40);
  const uri = host.url('/tiny.gguf');
  const agent = await startAgent();
  rig.assign(agent, [downloaded(1, uri), downloaded(2, uri)]);
  await Promise.all([rig.ready(agent, 1), rig.ready(agent, 2)]);

  expect((await rig.ask(1, 'Hello').done).text).toMatch(/[a-z]{3}/);
  const shown = rig.beats
    .map(({ loads }) => loads.find(({ dep }) => dep === 1)?.progress)
    .filter((progress) => typeof progress === 'number');
  expect(shown.some((progress) => progress > 0.1 && progress < 0.9)).toBe(true);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  await until('the agent tells what it has', () => rig.beatOf(agent)?.cached.includes(uri));

  const before = host.requests.length;
  const second = await startAgent();
  expect(rig.beatOf(second)?.cached).toEqual([uri]);
  rig.assign(second, [downloaded(3, uri)]);
  await rig.ready(second, 3);
  expect(host.requests.length).toBe(before);
});

it('an hf: URI is fetched from the hub', async () => {
  host.serve('/somebody/tiny/resolve/main/tiny.Q8_0.gguf', model);
  const agent = await startAgent({ HF_ENDPOINT: host.url('/') });
  rig.assign(agent, [downloaded(1, 'hf:somebody/tiny/tiny.Q8_0.gguf')]);
  await rig.ready(agent, 1);
  expect((await rig.ask(1, 'Hello').done).end.fin).toBe('done');
});

it('a redirect to an allowed host is followed, one to a foreign host is refused before anybody is asked', async () => {
  host.redirect('/near', host.url('/tiny.gguf'));
  host.redirect('/far', host.url('/foreign.gguf', '127.0.0.1'));
  host.serve('/tiny.gguf', model);
  host.serve('/foreign.gguf', model);
  const agent = await startAgent();
  rig.assign(agent, [downloaded(1, host.url('/near')), downloaded(2, host.url('/far'))]);
  expect(await failure(agent, 2)).toMatchObject({
    reason: 'download_failed',
    detail: expect.stringMatching(/redirect .*127\.0\.0\.1.* not on the list/),
  });
  await rig.ready(agent, 1);
  expect(host.requests.filter((request) => request.includes('foreign'))).toEqual([]);
});

it('an address that is not allowed, not https, or leads nowhere says so, and leaves nothing behind', async () => {
  host.serve('/tiny.gguf', model);
  const agent = await startAgent();
  rig.assign(agent, [
    downloaded(1, host.url('/tiny.gguf', '127.0.0.1')),
    downloaded(2, host.url('/tiny.gguf').replace('https:', 'http:')),
    downloaded(3, host.url('/nothing.gguf?signature=secret')),
    downloaded(4, MODEL),
  ]);
  expect(await failure(agent, 1)).toMatchObject({
    reason: 'download_failed',
    detail: expect.stringContaining('not on the list of allowed model hosts'),
  });
  expect((await failure(agent, 2)).detail).toContain('must be named by an https URL or an hf: URI');
  const nowhere = await failure(agent, 3);
  expect(nowhere).toMatchObject({ reason: 'download_failed', detail: expect.stringContaining('404') });
  expect(nowhere.detail).not.toContain('secret');
  expect((await failure(agent, 4)).reason).toBe('download_failed');
  rig.assign(agent, []);
  await until('the cache is empty', () => cache().length === 0);
});

it('a download that nobody wants any more ends, and so does one whose agent is killed', async () => {
  host.serve('/slow.gguf', model, 500);
  const agent = await startAgent();
  rig.assign(agent, [downloaded(1, host.url('/slow.gguf'))]);
  await until('the download has begun', () => cache().length > 0 && host.requests.length > 0);
  rig.assign(agent, []);
  await until('the cache is empty', () => cache().length === 0);

  rig.assign(agent, [downloaded(1, host.url('/slow.gguf'))]);
  await until('it has begun again', () => cache().length > 0);
  const children = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === agent.pid);
  const [child] = await until('the process that downloads', () => children().length > 0 && children());
  agent.child.kill('SIGKILL');
  await until('it has ended', () => !alive(Number(child)));
  const next = await startAgent();
  expect(cache()).toEqual([]);
  expect(rig.beatOf(next)?.cached).toEqual([]);
});

function parentOf(pid: string): number {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
