import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayRig, type RunningGateway, until } from '../../gateway/gateway-rig.js';
import { embedNumbers, vectorOf } from '../../gateway/scripted-runner.js';
import { type ClientPackages, ensureClientPackages } from '../stage/client-packages.js';

const PROGRAM = fileURLToPath(new URL('../programs/embeddings.mjs', import.meta.url));
const INSTALL_MS = 600_000;
const run = promisify(execFile);

describe('embeddings', () => {
  let packages: ClientPackages;
  let rig: GatewayRig;
  let gw: RunningGateway;
  let slug: string;
  let key: string;

  beforeAll(async () => {
    packages = await ensureClientPackages();
    rig = await GatewayRig.start();
    const account = rig.account();
    key = rig.key(account.id).value;
    const caps = ['embed', 'dimensions:4'];
    const { id } = rig.deployment(account.id, { caps });
    slug = `deployment-${id}`;
    gw = await rig.gateway();
    await rig.runner({ dep: id, script: embedNumbers, caps });
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: slug, input: 'x' });
    await until(
      'it answers',
      async () => (await fetch(`${gw.url}/${slug}/v1/embeddings`, { method: 'POST', headers, body })).status === 200,
    );
  }, INSTALL_MS);
  afterAll(() => rig?.end());

  it.each(['openai-7', 'openai-6', 'ai', 'ai-6', 'langchain'])('are the same vectors for %s', async (client) => {
    const args = ['--experimental-import-meta-resolve', PROGRAM, packages.folder, client, `${gw.url}/${slug}/v1`, slug];
    const { stdout } = await run(packages.node, args, { env: { PATH: process.env['PATH'], API_KEY: key } });
    const found = (JSON.parse(stdout) as number[][]).map((vector) => vector.map((number) => number.toFixed(5)));
    expect(found).toEqual(['text 4', 'text 9'].map((text) => [...vectorOf(text)].map((number) => number.toFixed(5))));
  });
});
