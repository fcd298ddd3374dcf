import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientPackages, ensureClientPackages } from '../stage/client-packages.js';
import { EmbeddingStage, EXPECTED_VECTORS, vectorsIn } from '../stage/embedding-stage.js';
import { ensurePythonPackages } from '../stage/python-packages.js';
import { runProgram } from '../stage/run-program.js';

const programOf = (file: string): string => fileURLToPath(new URL(`../programs/${file}`, import.meta.url));
const INSTALL_MS = 600_000;

describe('embeddings', () => {
  let packages: ClientPackages;
  let stage: EmbeddingStage;
  beforeAll(async () => {
    packages = { ...(await ensurePythonPackages()), ...(await ensureClientPackages()) };
    stage = await EmbeddingStage.start();
  }, INSTALL_MS);
  afterAll(() => stage?.end());

  async function expectVectors(program: string, args: readonly string[], client: string): Promise<void> {
    const env = { PATH: process.env['PATH'] ?? '', API_KEY: stage.key, LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
    const all = [...args, packages.folder, client, stage.baseURL, stage.slug];
    const { stdout, stderr, exitCode } = await runProgram(program, all, { cwd: packages.folder, env });
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(vectorsIn(stdout)).toEqual(EXPECTED_VECTORS);
  }

  it.each(['openai-7', 'openai-6', 'ai', 'ai-6', 'langchain'])('are the same vectors for %s', (client) =>
    expectVectors(packages.node, ['--no-warnings', '--experimental-import-meta-resolve', programOf('embeddings.mjs')], client),
  );

  it.each(['openai', 'langchain-openai', 'litellm'])('are the same vectors for %s of Python', (client) =>
    expectVectors(packages.python ?? '', ['-B', '-W', 'ignore', programOf('embeddings.py')], client),
  );
});
