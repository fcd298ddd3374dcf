import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyProxy } from '../stage/key-proxy.js';
import { McpStage } from '../stage/mcp-stage.js';
import { ToolPackage } from '../tools/tool-packages.js';

const WITHIN_MS = 300_000;

let suite: ToolPackage;
let stage: McpStage;
let proxy: KeyProxy;
beforeAll(async () => {
  suite = await ToolPackage.ensure('conformance', '@modelcontextprotocol/conformance/dist/index.js');
  let target = { url: '', key: '' };
  proxy = await KeyProxy.start(() => target);
  stage = await McpStage.start(`http://127.0.0.1:${proxy.port}`);
  const { account, mcp } = await stage.tenant();
  await stage.rig.deployment(account);
  target = { url: stage.url, key: mcp.value };
}, 900_000);
afterAll(async () => {
  await stage.end();
  await proxy.stop();
});

const check = (path: string, baseline: string, selection: string[]): ReturnType<ToolPackage['run']> => {
  const expected = fileURLToPath(new URL(`../tools/conformance-${baseline}.yml`, import.meta.url));
  return suite.run(['server', '--url', `http://127.0.0.1:${proxy.port}${path}`, ...selection, '--expected-failures', expected], WITHIN_MS);
};

/** Scenarios that passed without any failure, as the suite sums them up. */
const passedIn = (output: string): string[] =>
  [...output.matchAll(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed/gm)].map(([, name = '']) => name);

describe.each(['/mcp', '/mcp/readonly'])('the public conformance suite at %s', (path) => {
  it(
    'accepts the 2025 revisions except missing fixtures',
    async () => {
      const { code, output } = await check(path, 'active', ['--suite', 'active']);
      expect(code, output).toBe(0);
      const core = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'];
      expect(passedIn(output)).toEqual(expect.arrayContaining(core));
    },
    WITHIN_MS,
  );

  it(
    'accepts revision 2026-07-28 except missing fixtures',
    async () => {
      const { code, output } = await check(path, '2026-07-28', ['--requirements', '2026-07-28']);
      expect(code, output).toBe(0);
      const core = ['tools-list', 'caching', 'http-header-validation', 'sep-2164-resource-not-found', 'dns-rebinding-protection'];
      expect(passedIn(output)).toEqual(expect.arrayContaining(core));
    },
    WITHIN_MS,
  );
});
