import type { RpcContract } from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { expect, it } from 'vitest';
import type { McpCaller } from './mcp-key-check.js';
import { McpUses } from './mcp-clients.js';

const caller = { key: 7, account: 1, slug: 'acme', limits: {} } as unknown as McpCaller;

function world(): { uses: McpUses; recorded: (string | undefined)[]; pass: (ms: number) => void } {
  const recorded: (string | undefined)[] = [];
  let clock = 0;
  const call = (_contract: RpcContract, request: object): Promise<never> => {
    recorded.push((request as { client?: string }).client);
    return Promise.reject(new Error('no reply'));
  };
  const uses = new McpUses({ withProof: () => ({ call }) } as never, createLogger('test', 'silent'), () => clock);
  return { uses, recorded, pass: (ms) => (clock += ms) };
}

/** Lets a report end. */
const ended = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a client is recorded once a minute', async () => {
  const { uses, recorded, pass } = world();
  for (let i = 0; i < 100; i += 1) uses.note(caller, 'node');
  await ended();
  pass(60_000);
  uses.note(caller, 'node');
  expect(recorded).toEqual(['node', 'node']);
});

it('a client’s name stays until it sends another', async () => {
  const { uses, recorded, pass } = world();
  uses.note(caller, 'node');
  uses.note(caller, 'node', 'agent/1.0');
  await ended();
  pass(60_000);
  uses.note(caller, 'node');
  uses.note(caller, 'node', 'agent/2.0');
  await ended();
  expect(recorded).toEqual(['node', 'agent/1.0', 'agent/1.0', 'agent/2.0']);
});

it('unnamed clients are recorded, long names cut', () => {
  const { uses, recorded } = world();
  uses.note(caller, null);
  uses.note(caller, 'x'.repeat(500));
  expect(recorded).toEqual([undefined, 'x'.repeat(200)]);
});

it('a name is not overtaken by an older one', async () => {
  const sent: { client: string; end: () => void }[] = [];
  const call = (_contract: RpcContract, { client = '' }: { client?: string }): Promise<void> =>
    new Promise((resolve) => sent.push({ client, end: resolve }));
  const uses = new McpUses({ withProof: () => ({ call }) } as never, createLogger('test', 'silent'));
  uses.note(caller, 'node');
  for (const name of ['agent/1.0', 'agent/2.0']) uses.note(caller, 'node', name);
  expect(sent.map(({ client }) => client)).toEqual(['node']);
  sent[0]?.end();
  await ended();
  expect(sent.map(({ client }) => client)).toEqual(['node', 'agent/2.0']);
  sent[1]?.end();
  await ended();
  expect(sent).toHaveLength(2);
});

it('a failed report is repeated by the next request', async () => {
  const { uses, recorded } = world();
  uses.note(caller, 'node', 'agent/1.0');
  uses.note(caller, 'node');
  await ended();
  uses.note(caller, 'node');
  expect(recorded).toEqual(['agent/1.0', 'agent/1.0']);
});
