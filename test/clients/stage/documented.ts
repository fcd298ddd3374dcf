import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientPackages } from './client-packages.js';
import type { Job } from './client-process.js';
import { type Output, runProgram } from './run-program.js';

const PAGE = readFileSync(new URL('../../../docs/connect-your-client.md', import.meta.url), 'utf8');

/** An example of the page. */
export interface Example {
  /** Its place among those of its language. */
  readonly number: number;
  readonly language: 'ts' | 'python';
  readonly text: string;
  /** What it imports. */
  readonly packages: readonly string[];
}

const IMPORTS = { ts: /^import .* from '([^']+)';$/gm, python: /^from (\w+)[\w.]* import /gm };

/** The examples in one language that ask for conversations, by the packages that they import. */
export function examplesIn(language: Example['language']): readonly Example[] {
  const blocks = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);
  return blocks.map((text, at) => ({
    ...{ number: at + 1, language, text },
    packages: [...text.matchAll(IMPORTS[language])].map(([, name = '']) => name),
  }));
}

/** Names under which the packages of the tests lie, where these differ. */
const NAMES: Readonly<Record<string, string>> = { '@anthropic-ai/sdk': 'anthropic-1' };

type Place = Pick<Job, 'baseURL' | 'apiKey' | 'model'>;

/** Runs an example as it stands, but for address and model, with the packages of the tests. */
export async function runExample({ folder, node, python = '' }: ClientPackages, example: Example, at: Place): Promise<Output> {
  const { language, text } = example;
  const own = await mkdtemp(join(folder, 'example-'));
  try {
    const placed = text.replaceAll('http://127.0.0.1:8080/local/demo', at.baseURL).replaceAll(/(?<=['"/])demo(?=['"])/g, at.model);
    const named = Object.entries(NAMES).reduce((so, [name, lies]) => so.replaceAll(`'${name}'`, `'${lies}'`), placed);
    const file = join(own, language === 'ts' ? 'example.mts' : 'example.py');
    await writeFile(file, named);
    const [program, args] =
      language === 'ts' ? [node, ['--no-warnings', '--experimental-strip-types', file]] : [python, ['-B', '-W', 'ignore', file]];
    const env = { PATH: process.env['PATH'] ?? '', HOME: own, SLIPWAY_API_KEY: at.apiKey, LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
    return await runProgram(program, args, { cwd: own, env });
  } finally {
    await rm(own, { recursive: true, force: true, maxRetries: 5 });
  }
}
