import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { McpStage, type McpTenant } from '../stage/mcp-stage.js';
import { ToolPackage, type ToolRun } from '../tools/tool-packages.js';

const WITHIN_MS = 120_000;

let inspector: ToolPackage;
let stage: McpStage;
let tenant: McpTenant;
beforeAll(async () => {
  inspector = await ToolPackage.ensure('inspector', '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  stage = await McpStage.start();
  tenant = await stage.tenant();
}, 900_000);
afterAll(() => stage?.end());

const inspect = (args: string[], key = tenant.mcp.value): Promise<ToolRun> =>
  inspector.run(['--cli', `${stage.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`, ...args], WITHIN_MS);

describe.each(['legacy', 'modern'])('the Inspector’s command line, era %s', (era) => {
  const inEra = (...args: string[]): Promise<ToolRun> => inspect([...args, '--protocol-era', era]);

  it('lists the tools with valid schemas', async () => {
    const { code, output } = await inEra('--method', 'tools/list', '--strict');
    expect(code, output).toBe(0);
    for (const name of ['get_account', 'create_deployment', 'revoke_deployment_key']) expect(output).toContain(`"${name}"`);
  });

  it('creates a deployment and stops it when confirmed', async () => {
    const made = await inEra(
      '--method',
      'tools/call',
      '--tool-name',
      'create_deployment',
      '--tool-arg',
      'model=scripted',
      `engine_url=${stage.rig.upstream.url}`,
    );
    expect(made.code, made.output).toBe(0);
    const slug = /deployment-\d+/.exec(made.output)?.[0] ?? '';
    const stop = ['--method', 'tools/call', '--tool-name', 'stop_deployment', '--tool-arg', `slug=${slug}`];
    const refused = await inEra(...stop, 'confirm_slug=other');
    expect([refused.code, refused.output]).toEqual([5, expect.stringContaining(`confirm_slug must be exactly`)]);
    const stopped = await inEra(...stop, `confirm_slug=${slug}`);
    expect(stopped.code, stopped.output).toBe(0);
  });
});

it('the Inspector is refused with a rotated key', async () => {
  const { account, mcp } = await stage.tenant();
  await stage.rotate(account);
  const { code, output } = await inspect(['--method', 'tools/list'], mcp.value);
  expect(code, output).not.toBe(0);
});
