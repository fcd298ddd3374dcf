import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConformance } from '../../conformance/src/conformance.js';
import { type FaultyServer, startFaultyServer } from './faulty-server.js';

const KEY = 'canary-key-1234';

describe('the conformance tool at a server with faults', () => {
  let server: FaultyServer;
  let folder: string;

  beforeAll(async () => {
    server = await startFaultyServer();
    folder = await mkdtemp(join(tmpdir(), 'slipway-conformance-'));
  });
  afterAll(async () => {
    await server?.end();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(...args: string[]): Promise<{ code: number; printed: string }> {
    const lines: string[] = [];
    const code = await runConformance(['--target', server.url, '--key', KEY, ...args], (text) => lines.push(text));
    return { code, printed: lines.join('\n') };
  }

  it('names each fault, what came, and whom it breaks', async () => {
    const { code, printed } = await run('--contract', 'chat', '--case', '1-5,29,46-48');
    expect(code).toBe(1);
    expect(printed).toMatch(/^chat +9 cases: 1 passed, 6 failed, 2 not run$/m);
    expect(printed).toMatch(/✗ 2 {2}no messages: 400 \[messages\]\n +expected {2}status 400\n +came {6}200: \{.*\n +breaks {4}\S/);
    expect(printed).toMatch(/✗ 29 .*\n +expected {2}the last chunk\.choices: a list of 0\n/);
    expect(printed).toContain('– not run without --engine-port: 47, 48');
    expect(printed.split('\n').at(-1)).toMatch(/^all +9 cases: 1 passed, 6 failed, 2 not run$/);
  });

  it('takes no case that was not run for one that passed', async () => {
    const { code, printed } = await run('--contract', 'chat', '--case', '47');
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(/0 passed, 0 failed, 1 not run$/) as string });
  });

  it('writes the same as JSON, and the key nowhere', async () => {
    const file = join(folder, 'result.json');
    const { printed } = await run(
      '--json',
      file,
      '--contract',
      'messages',
      '--contract',
      'embeddings',
      '--spare-key',
      `${KEY}-2`,
      '--revoke',
      'true',
    );
    const written = await readFile(file, 'utf8');
    const result = JSON.parse(written) as {
      score: { failed: number };
      contracts: object;
      cases: { outcome: string; failures: object[] }[];
    };
    expect([...server.keys]).toContain(`Bearer ${KEY}`);
    expect(Object.keys(result.contracts)).toEqual(['messages', 'embeddings']);
    expect(result.cases.filter(({ outcome }) => outcome === 'failed')).toHaveLength(result.score.failed);
    for (const { outcome, failures } of result.cases) expect(failures.length > 0).toBe(outcome === 'failed');
    expect(`${printed}${written}`).not.toContain(KEY);
  });

  it('refuses a server that does not use its engine', async () => {
    const { code, printed } = await run('--engine-port', '0');
    expect({ code, printed }).toEqual({ code: 2, printed: expect.stringMatching(/does not use the scripted engine/) as string });
  });
});
