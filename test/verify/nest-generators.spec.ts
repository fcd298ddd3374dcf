import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { projects } = JSON.parse(readFileSync(`${root}/nest-cli.json`, 'utf8')) as { projects: Record<string, { sourceRoot: string }> };

async function generate(project: string): Promise<string> {
  const args = ['--yes', '@nestjs/cli@12.0.8', 'generate', 'service', 'seed', '--project', project, '--dry-run', '--no-spec'];
  const { stdout } = await promisify(execFile)('npx', args, { cwd: root });
  return stripVTControlCharacters(stdout);
}

describe('Nest’s generators', () => {
  it.each(Object.entries(projects))('put a service of %s where its sources are', async (name, { sourceRoot }) => {
    expect(await generate(name)).toContain(`CREATE ${sourceRoot}/seed/seed.service.ts`);
  });
});
