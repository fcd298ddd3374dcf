import { type DeploymentFacts, ServiceError } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import type { PublicContract, Refusal } from './contract-form.js';
import { readAnswers } from './raw-answer.js';
import { type RawClient, rawRequest } from './raw-client.js';
import { answerInWords, answerSlowly, pause, type Script, type ScriptedRunner, staySilent, usageOf } from './scripted-runner.js';

const WITHIN_MS = 30_000;

const failWith =
  (code: ConstructorParameters<typeof ServiceError>[0]): Script =>
  () =>
    Promise.reject(new ServiceError(code, 'It failed.'));

/** Sends half an answer, then continues with `rest`. */
const half =
  (rest: Script): Script =>
  async (start, writer, signal) => {
    writer.events([{ k: 'text', x: 'half ', n: 1 }]);
    return rest(start, writer, signal);
  };
/** Ends without an end frame. */
const stop: Script = () => Promise.resolve(usageOf(1));

/** Faults before the first token: a status, even for a stream, on a connection that stays open. */
const EARLY: readonly (readonly [fault: string, script: Script, refusal: Refusal])[] = [
  ['an engine that fails', failWith('engine_error'), { status: 502, code: 'engine_error' }],
  ['an engine that hangs up', stop, { status: 502, code: 'engine_error' }],
  ['a prompt that is too long', failWith('context_length_exceeded'), { status: 400, code: 'context_length_exceeded' }],
  ['no token in time', staySilent, { status: 504, code: 'timeout' }],
];

/** Faults after the first token: one error event at the end of the stream, and an aborted connection. */
const LATE: readonly (readonly [fault: string, script: Script, code: string])[] = [
  ['an engine that falls silent', half(staySilent), 'engine_error'],
  ['an engine that fails', half(failWith('engine_error')), 'engine_error'],
  ['an engine that hangs up', half(stop), 'engine_error'],
];

/** Faults, cancels and slow clients of streams at the door of one contract, and its ordered stop. */
export function describeStreams(contract: PublicContract): void {
  describe(`streams at the ${contract.name} door`, () => {
    let door: Door;
    let gateway: Door['gateway'];
    let runner: ScriptedRunner;

    beforeAll(async () => {
      const environment = { FIRST_TOKEN_TIMEOUT_MS: '2000', ENGINE_SILENCE_MS: '1500', QUEUE_WAIT_MS: '400', OPS_PORT: '0' };
      door = await Door.open({ contract, environment });
      ({ gateway, runner } = door);
    });
    afterAll(() => door?.end());
    afterEach(() => door.reset());

    const begin = async (fields: object = { stream: true }): Promise<RawClient> => (await door.connect()).send(door.good(fields));
    const idOf = (client: RawClient): string => /x-request-id: (req_\w+)/.exec(client.received)?.[1] ?? 'none';

    describe.each([true, false])('stream: %s', (stream) => {
      it.each(EARLY)('%s, before the first token, is a status', async (_, script, refusal) => {
        runner.script = script;
        const { client, answers } = await door.converse(door.good({ stream }));
        contract.expectRefusal(answers[0]!, refusal);
        await contract.expectRaised(answers[0]!, refusal);
        runner.script = answerInWords;
        client.send(door.good());
        expect((await door.answersOn(client, 2)).answers[1]?.status).toBe(200);
      });

      it('a full deployment queues requests, then sends 503', async () => {
        runner.script = answerSlowly(100_000, 100);
        const held = await Promise.all(Array.from({ length: 8 }, () => begin()));
        const allTaken = async (): Promise<boolean> => {
          // On a busy machine a slot of the test before may be free too late for one of them.
          const refused = held.findIndex(({ received }) => /^HTTP\/1\.1 5\d\d/.test(received));
          if (refused !== -1) held[refused] = await begin();
          return runner.used === 8;
        };
        await until('all slots are taken', allTaken, WITHIN_MS);
        const { answers } = await door.converse(door.good({ stream }));
        contract.expectRefusal(answers[0]!, { status: 503, code: 'overloaded' });
        await contract.expectRaised(answers[0]!, { status: 503, code: 'overloaded' });
        for (const client of held) client.destroy();
      });
    });

    it.each(LATE)('%s after the first token is an error event', async (_, script, code) => {
      runner.script = script;
      const client = await begin();
      const answer = await client.untilClosed(WITHIN_MS);
      expect(answer).toContain('"half "');
      expect(answer).toMatch(contract.failureEnd(code));
      expect(answer).not.toMatch(contract.anyEnd);
      expect(answer).not.toMatch(/\r\n0\r\n/);
      expect(await gateway.lineOf(idOf(client))).toMatchObject({ status: 200, stream: true, error: code });
    });

    it.each(LATE.slice(1))('%s after the first token raises in the SDK', async (_, script, code) => {
      runner.script = script;
      const target = { url: `http://127.0.0.1:${gateway.port}/${door.slug}`, apiKey: door.key, model: door.slug };
      const { text, raised } = await contract.readStream(target);
      contract.expectRaisedInStream(raised, code);
      expect(text).toBe('half ');
    });

    it.each(LATE.slice(1))('%s after the first token is a status unstreamed', async (_, script, code) => {
      runner.script = script;
      const { answers, rest } = await door.converse(door.good());
      expect({ count: answers.length, rest }).toEqual({ count: 1, rest: '' });
      contract.expectRefusal(answers[0]!, { status: 502, code });
    });

    it('a lost worker is an error event or status', async () => {
      const deployment: DeploymentFacts = door.rig.deployment(door.account.id);
      const slug = `deployment-${deployment.id}`;
      const nats = await door.rig.connect('doomed');
      const doomed = await door.rig.runner({ dep: deployment.id, nats });
      const request = (stream: boolean): string => rawRequest(door.path(slug), door.headers(), door.body({ stream }, slug));
      await until('it answers', async () => (await door.converse(request(false))).answers[0]?.status === 200, WITHIN_MS);
      doomed.script = answerSlowly(100_000, 10);
      const whole = (await door.connect()).send(request(false));
      await until('the unseen one has begun', () => doomed.used === 1, WITHIN_MS);
      const streamed = (await door.connect()).send(request(true));
      // By then the other's acceptance and first tokens have left too; what was not accepted would be tried elsewhere.
      await streamed.untilReceived('t3 ');
      await nats.close();
      const answer = await streamed.untilClosed(WITHIN_MS);
      expect(answer).toContain('t3 ');
      expect(answer).toMatch(contract.failureEnd('worker_lost'));
      contract.expectRefusal((await door.answersOn(whole, 1)).answers[0]!, { status: 502, code: 'worker_lost' });
      await doomed.stop();
    });

    it('a client that never reads is cut and logged', async () => {
      runner.script = async (_start, writer, signal) => {
        const x = 'x'.repeat(16_384);
        for (let i = 0; i < 20_000 && !signal.aborted; i += 1) {
          writer.events([{ k: 'text', x, n: 1 }]);
          await pause(1, signal);
        }
        return usageOf(1);
      };
      const client = await begin();
      await client.untilReceived('\r\n\r\n');
      client.socket.pause();
      expect(await gateway.lineOf(idOf(client))).toMatchObject({ status: 200, error: 'client_too_slow', finish: 'cancelled' });
      await until('the slot is free', () => runner.used === 0, WITHIN_MS);
    });

    it('a client that pauses reading gets everything', async () => {
      const words = Array.from({ length: 2_000 }, (_, i) => `${i}${'-'.repeat(200)} `);
      runner.script = async (_start, writer, signal) => {
        for (const [i, x] of words.entries()) {
          writer.events([{ k: 'text', x, n: 1 }]);
          if (i % 50 === 0) await pause(1, signal);
        }
        writer.events([{ k: 'fin', r: 'stop' }]);
        return usageOf(words.length);
      };
      const client = await begin();
      await client.untilReceived('\r\n\r\n');
      client.socket.pause();
      await until('all is said', () => runner.used === 0, WITHIN_MS);
      client.socket.resume();
      const { answers } = await door.answersOn(client, 1);
      expect(contract.textOf(answers[0]!.body)).toBe(words.join(''));
      expect(answers[0]?.body).toMatch(contract.streamEnd);
    });

    const leave: readonly (readonly [how: string, leave: (client: RawClient) => void])[] = [
      ['a reset', (client) => client.reset()],
      ['a close', (client) => client.destroy()],
      ['closing its half', (client) => void client.socket.end()],
    ];
    it.each(leave)('a client that leaves by %s stops its generation', async (_, go) => {
      for (const script of [staySilent, answerSlowly(100_000, 5)]) {
        for (const stream of [true, false]) {
          runner.script = script;
          const cancelled = runner.cancelled;
          const client = await begin({ stream });
          await until('it runs', () => runner.used === 1, WITHIN_MS);
          if (stream && script !== staySilent) await client.untilReceived('t1 ');
          go(client);
          await until('the worker hears of it', () => runner.cancelled === cancelled + 1, WITHIN_MS);
          await until('the slot is free', () => runner.used === 0, WITHIN_MS);
        }
      }
    });

    it('clients that leave at any moment leave nothing behind', async () => {
      runner.script = answerSlowly(20, 2);
      const metrics = async (): Promise<string> => {
        const port = gateway.lines.find(({ event }) => event === 'ops.listening')?.['port'];
        return (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
      };
      await Promise.all(
        Array.from({ length: 120 }, async (_, i) => {
          const client = await begin({ stream: i % 3 > 0 });
          await new Promise((resolve) => setTimeout(resolve, (i * 7) % 90));
          leave[i % 3]![1](client);
        }),
      );
      await until('no slot is taken', () => runner.used === 0, WITHIN_MS);
      const gone = /slipway_gateway_active_streams\{[^}]*\} 0\n[^]*slipway_gateway_waiting_requests\{[^}]*\} 0\n/;
      await until('the gateway holds nothing', async () => gone.test(await metrics()), WITHIN_MS);
      expect((await door.converse(door.good())).answers[0]?.status).toBe(200);
    });

    it('an idempotency key has no effect', async () => {
      const started = runner.admitted.length;
      const request = rawRequest(door.path(), door.headers('Idempotency-Key: same'), door.body());
      const ids = [];
      for (let i = 0; i < 2; i += 1) ids.push((JSON.parse((await door.converse(request)).answers[0]!.body) as { id: string }).id);
      expect(new Set(ids).size).toBe(2);
      expect(runner.admitted).toHaveLength(started + 2);
    });

    it.each(['Accept: application/json', 'Accept-Encoding: gzip, br', 'Accept: text/plain', 'Last-Event-ID: 7', 'TE: trailers'])(
      '%s changes nothing about a stream',
      async (header) => {
        const { answers } = await door.converse(rawRequest(door.path(), door.headers(header), door.body({ stream: true })));
        expect(answers[0]?.status).toBe(200);
        expect(Object.fromEntries(answers[0]!.headers)).toMatchObject({
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-cache, no-store, no-transform',
          'x-accel-buffering': 'no',
          'transfer-encoding': 'chunked',
          'x-request-id': expect.stringMatching(/^req_/) as string,
        });
        expect(answers[0]?.headers.get('content-encoding')).toBeNull();
        expect(answers[0]?.body).toMatch(contract.streamEnd);
      },
    );
  });

  describe(`a ${contract.name} door that closes`, () => {
    it('finishes running requests, then exits with 0', async () => {
      const door = await Door.open({ contract, environment: { DRAIN_MS: '20000' } });
      try {
        door.runner.script = answerSlowly(150, 10);
        const running = (await door.connect()).send(door.good({ stream: true }));
        const idle = await door.converse(door.with('X-API-Key: nope'));
        await running.untilReceived('t3 ');
        const ending = door.gateway.stop();
        await idle.client.untilClosed(WITHIN_MS);
        const { client, answers } = await door.converse(door.good());
        contract.expectRefusal(answers[0]!, { status: 503, code: 'server_shutting_down' });
        await contract.expectRaised(answers[0]!, { status: 503, code: 'server_shutting_down' });
        expect(answers[0]?.headers.get('connection')).toBe('close');
        await client.untilClosed();
        const { answers: finished } = readAnswers(await running.untilClosed(WITHIN_MS));
        expect(contract.textOf(finished[0]!.body)).toMatch(/t149 $/);
        expect(finished[0]?.body).toMatch(contract.streamEnd);
        expect(await ending).toBe(0);
      } finally {
        await door.end();
      }
    });
  });
}
