import { ResumeDeployment, RevokeKey, StopDeployment } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import type { Job, Running, Sight } from '../stage/client-process.js';
import { actsOf, type ClientKind } from '../stage/clients.js';
import { PLAYED_HALF, PLAYED_TEXT, questionFor } from '../stage/played-scenes.js';
import type { Company } from './company.js';

/** A client's way to read a stream. */
interface Reader {
  readonly kind: ClientKind;
  readonly act: string;
}

const readersOf = ({ casting }: Company, acts: readonly string[]): Reader[] =>
  casting.kinds.flatMap((kind) => actsOf(kind, acts).map((act) => ({ kind, act })));

/** Deeds that take a while: until a worker is back, or a slot is free. */
const LONG = 240_000;

/** Starts a job with every reader. */
function beginAll(company: Company, readers: readonly Reader[], job: Omit<Job, 'act'>): Running[] {
  return readers.map(({ kind, act }) => company.troupe.of(kind).begin({ ...job, act }));
}

/** All have raised, none has taken what it saw for an end. */
function expectAllRaised(readers: readonly Reader[], sights: readonly Sight[], text: string): void {
  for (const [i, { kind, act }] of readers.entries()) {
    const { error, finish, calls, ...sight } = sights[i]!;
    const name = `${kind.flavour} ${act}`;
    expect({ name, text: sight.text, raised: error !== null }).toEqual({ name, text, raised: true });
    expect([null, 'error']).toContain(finish);
    expect(calls.filter(({ invalid }) => invalid !== true)).toEqual([]);
  }
}

async function expectDeathRaised(company: Company, readers: readonly Reader[], calls: readonly Reader[]): Promise<void> {
  const { stage } = company;
  const upstream = stage.upstreamOf('vllm');
  const texts = beginAll(company, readers, { ...stage.at('vllm'), text: questionFor('silence') });
  const cutCalls = beginAll(company, calls, { ...stage.at('vllm'), text: questionFor('call, silence') });
  await Promise.all(texts.map(({ begun }) => begun));
  await until('the calls have begun', () => upstream.live === readers.length + calls.length);
  await stage.rig.process('inference-worker').stop('SIGKILL');
  expectAllRaised(readers, await Promise.all(texts.map(({ saw }) => saw)), PLAYED_HALF);
  expectAllRaised(calls, await Promise.all(cutCalls.map(({ saw }) => saw)), '');
}

/** Requests that find no worker succeed by their clients' own retries once there is one. */
async function expectReturnAwaited(company: Company): Promise<void> {
  const { stage } = company;
  // Who repeats at once and without a pause has given up long before.
  const readers = readersOf(company, ['plain']).filter(({ kind }) => kind.family !== 'litellm');
  const waiting = beginAll(company, readers, { ...stage.at('vllm'), text: questionFor('text'), maxRetries: 30 });
  const statuses = await Promise.all(waiting.map(({ refused }) => refused));
  expect(statuses).toEqual(readers.map(({ kind }) => (kind.contract === 'messages' ? 529 : 503)));
  stage.rig.spawn('inference-worker');
  for (const { text, error } of await Promise.all(waiting.map(({ saw }) => saw)))
    expect({ text, error }).toEqual({ text: PLAYED_TEXT, error: null });
  await stage.whenAllServed();
}

/** Their connections break: what comes of it is up to the clients, as long as it is an exception. */
async function expectGatewayLossRaised(company: Company, readers: readonly Reader[], calls: readonly Reader[]): Promise<void> {
  const { stage } = company;
  const { rig } = stage;
  const upstream = stage.upstreamOf('vllm');
  const texts = beginAll(company, readers, { ...stage.at('vllm'), text: questionFor('silence') });
  const cutCalls = beginAll(company, calls, { ...stage.at('vllm'), text: questionFor('call, silence') });
  await Promise.all(texts.map(({ begun }) => begun));
  await until('the calls have begun', () => upstream.live === readers.length + calls.length);
  await rig.process('gateway').stop('SIGKILL');
  expectAllRaised(readers, await Promise.all(texts.map(({ saw }) => saw)), PLAYED_HALF);
  expectAllRaised(calls, await Promise.all(cutCalls.map(({ saw }) => saw)), '');
  rig.gateways = [rig.addressOf(await rig.spawn('gateway').ready())];
  await stage.whenAllServed();
}

async function expectRevocationRaised(company: Company): Promise<void> {
  const { stage } = company;
  const readers = readersOf(company, ['stream', 'helper']);
  const key = await stage.key('to be revoked');
  const at = stage.at('vllm', 'alias', key.value);
  await stage.rig.whenServed({ path: at.baseURL.slice(stage.gateway.length + 1), key: key.value });
  const running = beginAll(company, readers, { ...at, text: questionFor('silence') });
  await Promise.all(running.map(({ begun }) => begun));
  await stage.rig.command(RevokeKey, { account: stage.tenant.account, key: key.id });
  const sights = await Promise.all(running.map(({ saw }) => saw));
  expectAllRaised(readers, sights, PLAYED_HALF);
  for (const { error } of sights) expect(error?.message).toMatch(/key/i);
  await until('the upstream is left alone', () => stage.upstreamOf('vllm').live === 0);
}

/** What clients see when something changes while they are being answered. */
export function describeChanges(company: Company): void {
  describe('a deployment that is stopped', () => {
    it(
      'is asked once, or as often as the client always does, and its clients say so',
      async () => {
        const { stage } = company;
        const { id, path } = await stage.narrow();
        const name = { account: stage.tenant.account, deployment: id };
        await stage.rig.command(StopDeployment, name);
        await stage.rig.whenSeen(name.account, id, { state: 'stopped' });
        for (const { kind } of readersOf(company, ['plain'])) {
          const job = { baseURL: `${stage.gateway}/${path}`, model: path, act: 'plain', text: 'hello', maxRetries: kind.tries - 1 };
          const { error, requests } = await company.saw(kind, job, 'vllm');
          const status = kind.contract === 'responses' ? 400 : 409;
          expect(error).toMatchObject({ status, ...(kind.family !== 'litellm' && { code: 'deployment_stopped' }) });
          expect(error?.message).toMatch(/stopped/);
          // The AI SDK heeds no advice against another try, and repeats a 409.
          expect([kind.flavour, requests]).toEqual([kind.flavour, kind.family === 'ai' && status === 409 ? kind.tries : 1]);
        }
        await stage.rig.command(ResumeDeployment, name);
      },
      LONG,
    );
  });

  describe('a deployment without a free slot', () => {
    it(
      'answers by the clients’ own retries once a slot is free',
      async () => {
        const { stage } = company;
        const { path } = await stage.narrow();
        const at = { baseURL: `${stage.gateway}/${path}`, model: path, apiKey: stage.tenant.key.value };
        const [taker] = company.casting.kinds;
        for (const { kind } of readersOf(company, ['plain'])) {
          const key = await stage.key(`holds the slot before ${kind.flavour}`);
          await stage.rig.whenServed({ path, key: key.value });
          const holding = company.troupe.of(taker!).begin({ ...at, apiKey: key.value, act: 'stream', text: questionFor('silence') });
          await holding.begun;
          const waiting = company.troupe.of(kind).begin({ ...at, act: 'plain', text: questionFor('text'), maxRetries: 2 });
          expect([kind.flavour, await waiting.refused]).toEqual([kind.flavour, kind.contract === 'messages' ? 529 : 503]);
          await stage.rig.command(RevokeKey, { account: stage.tenant.account, key: key.id });
          expect((await holding.saw).error).not.toBeNull();
          const { text, error } = await waiting.saw;
          expect([kind.flavour, text, error]).toEqual([kind.flavour, PLAYED_TEXT, null]);
        }
      },
      LONG,
    );
  });

  it(
    'a model that says nothing for long keeps every client’s stream',
    async () => {
      const readers = readersOf(company, ['stream', 'helper']);
      const running = beginAll(company, readers, { ...company.stage.at('vllm'), text: questionFor('slow') });
      for (const { text, error } of await Promise.all(running.map(({ saw }) => saw)))
        expect({ text, error }).toEqual({ text: PLAYED_TEXT, error: null });
    },
    LONG,
  );

  it(
    'a key that is revoked in mid-stream ends every client’s stream with an exception that says so',
    () => expectRevocationRaised(company),
    LONG,
  );

  const calling = readersOf(company, ['streamTool', 'helperTool', 'streamRunner']);

  it(
    'a worker that is killed in mid-stream ends every client’s stream with an exception, and no call is completed',
    async () => {
      await expectDeathRaised(company, readersOf(company, ['stream', 'helper']), calling);
      await expectReturnAwaited(company);
    },
    LONG,
  );

  it(
    'a gateway that is killed in mid-stream leaves no client with half an answer for a whole one',
    async () => {
      await expectGatewayLossRaised(company, readersOf(company, ['stream', 'helper']), calling);
    },
    LONG,
  );
}
