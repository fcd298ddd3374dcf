import { MCP_CALLS_MAX, type McpCall, RecordMcpCalls } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { McpCallReports } from './mcp-calls.js';
import type { McpCaller } from './mcp-key-check.js';

const aCall = (tool: string, fields: Partial<McpCall> = {}): McpCall => ({
  ...{ at: '2026-11-25T10:00:00.000Z', tool, access: 'read', outcome: 'ok', ms: 3, client: 'agent/1' },
  ...fields,
});
const caller = (key: number, proof = 'p'): McpCaller => ({ key, account: 1, slug: 'acme', limits: {}, proof }) as McpCaller;

interface Report {
  readonly proof: string;
  readonly key: number;
  readonly calls: McpCall[];
}

let sent: Report[];
let fails: boolean;
let reports: McpCallReports;
beforeEach(() => {
  [sent, fails] = [[], false];
  const withProof = (proof: string) => ({
    call: (contract: unknown, report: Omit<Report, 'proof'>) => {
      expect(contract).toBe(RecordMcpCalls);
      sent.push({ proof, ...report });
      return fails ? Promise.reject(new Error('away')) : Promise.resolve({});
    },
  });
  reports = new McpCallReports({ withProof } as never, { debug: () => undefined });
});

describe('calls of agents', () => {
  it('are reported together, by key, under the latest proof', async () => {
    reports.note(caller(1, 'old'), aCall('list_models'));
    reports.note(caller(2), aCall('get_usage', { client: '' }));
    reports.note(caller(1, 'new'), aCall('stop_deployment', { access: 'write', outcome: 'invalid_request' }));
    expect(sent).toEqual([]);
    await reports.flush();
    expect(sent.map(({ key, proof, calls }) => [key, proof, calls.map(({ tool }) => tool)])).toEqual([
      [1, 'new', ['list_models', 'stop_deployment']],
      [2, 'p', ['get_usage']],
    ]);
    expect(RecordMcpCalls.request.parse({ account: 1, key: 2, calls: sent[1]!.calls }).calls[0]?.client).toBeNull();
    await reports.flush();
    expect(sent).toHaveLength(2);
  });

  it('are bounded: the newest hundred of a key', async () => {
    for (let i = 0; i < MCP_CALLS_MAX + 50; i += 1) reports.note(caller(1), aCall(`tool_${i}`));
    await reports.flush();
    expect(sent[0]?.calls.length).toBe(MCP_CALLS_MAX);
    expect(sent[0]?.calls.at(-1)?.tool).toBe(`tool_${MCP_CALLS_MAX + 49}`);
  });

  it('of too many keys are not kept', async () => {
    for (let key = 1; key <= 1_500; key += 1) reports.note(caller(key), aCall('list_models'));
    await reports.flush();
    expect(sent).toHaveLength(1_000);
  });

  it('are lost with a failed report, which disturbs nothing', async () => {
    fails = true;
    reports.note(caller(1), aCall('list_models'));
    await expect(reports.flush()).resolves.toBeUndefined();
    fails = false;
    reports.note(caller(1), aCall('get_usage'));
    await reports.flush();
    expect(sent.map(({ calls }) => calls.map(({ tool }) => tool))).toEqual([['list_models'], ['get_usage']]);
  });
});
