import { formatKey, isServiceError, ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { keyOf, McpKeyCheck } from './mcp-key-check.js';

const MCP = formatKey('mcp', new Uint8Array(32).fill(7));
const DEP = formatKey('dep', new Uint8Array(32).fill(7));

function codeOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (isServiceError(error)) return error.code;
    throw error;
  }
  return 'opened';
}

function said(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('Nothing was refused.');
}

describe('a credential', () => {
  it.each([
    ['an MCP key', { authorization: `Bearer ${MCP}` }, 'opened'],
    ['an MCP key under a scheme in other letters', { authorization: `bearer  ${MCP}` }, 'opened'],
    ['an MCP key beside an X-API-Key', { authorization: `Bearer ${MCP}`, 'x-api-key': DEP }, 'opened'],
    ['nothing', {}, 'missing_api_key'],
    ['an MCP key as X-API-Key', { 'x-api-key': MCP }, 'missing_api_key'],
    ['an MCP key without a scheme', { authorization: MCP }, 'missing_api_key'],
    ['a basic credential', { authorization: 'Basic dXNlcjpwYXNz' }, 'missing_api_key'],
    ['a deployment key', { authorization: `Bearer ${DEP}` }, 'insufficient_scope'],
    ['a misspelt deployment key', { authorization: `Bearer ${DEP.slice(0, -1)}` }, 'insufficient_scope'],
    ['a session', { authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln' }, 'invalid_api_key'],
    ['a misspelt MCP key', { authorization: `Bearer ${MCP.slice(0, -1)}` }, 'invalid_api_key'],
  ])('that is %s', (_, headers, outcome) => {
    expect(codeOf(() => keyOf(headers))).toBe(outcome);
  });

  it('is never quoted in its refusal', () => {
    for (const value of [DEP, MCP.slice(0, -1), 'a.b.c']) {
      expect(said(() => keyOf({ authorization: `Bearer ${value}` }))).not.toContain(value);
    }
  });
});

describe('guessing', () => {
  const outcomes = async (check: McpKeyCheck, address: string, times: number): Promise<string[]> => {
    const codes: string[] = [];
    for (let i = 0; i < times; i += 1) {
      await check.admit(MCP, { address, scope: 'write' }).catch((error: unknown) => isServiceError(error) && codes.push(error.code));
    }
    return codes;
  };

  it('is slowed down without harm to others', async () => {
    const refuses = { call: () => Promise.reject(new ServiceError('invalid_api_key', 'no')) };
    const check = new McpKeyCheck(refuses, () => 0);
    const codes = await outcomes(check, '192.0.2.1', 70);
    expect([codes.filter((code) => code === 'invalid_api_key').length, codes.at(-1)]).toEqual([60, 'rate_limit_exceeded']);
    expect(await outcomes(check, '192.0.2.2', 1)).toEqual(['invalid_api_key']);
  });

  it('reveals nothing while keys cannot be checked', async () => {
    const silent = { call: () => Promise.reject(new ServiceError('unavailable', 'nobody answers')) };
    expect(await outcomes(new McpKeyCheck(silent), '192.0.2.1', 1)).toEqual(['auth_unavailable']);
  });
});
