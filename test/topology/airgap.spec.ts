import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const TOOL = fileURLToPath(new URL('../../deploy/airgap.mjs', import.meta.url));

/** The commands of docker that the tool uses, on a folder with one file per image. */
const DOCKER = `#!/bin/sh
cd "$(dirname "$0")"
echo "$*" >> calls
case "$1 $2" in
  'compose config') echo '{"services":{"a":{"image":"ours","build":{}},"b":{"image":"ours","build":{}},"c":{"image":"theirs"}}}' ;;
  'compose build') echo built > image-ours ;;
  'pull theirs') echo pulled > image-theirs ;;
  'image inspect') cat "image-$5" 2>/dev/null ;;
  'save --output') cat image-* > "$3" ;;
  'load --input') echo built > image-ours; echo \${PULLED:-pulled} > image-theirs ;;
  *) exit 9 ;;
esac
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-airgap-'));
  writeFileSync(join(folder, 'docker'), DOCKER, { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function airgap(words: readonly string[], environment: Record<string, string> = {}): { status: number | null; printed: string } {
  const env = { PATH: process.env['PATH'], DOCKER: join(folder, 'docker'), ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, ...words], { encoding: 'utf8', env });
  return { status, printed: `${stdout}${stderr}` };
}

describe('images for a host without a registry', () => {
  it('are saved once each, built or pulled first', () => {
    const file = join(folder, 'images.tar');
    expect(airgap(['save', file])).toMatchObject({ status: 0 });
    const calls = readFileSync(join(folder, 'calls'), 'utf8');
    expect(calls.match(/^(compose build|pull .*|save .*)$/gm)).toEqual([
      'compose build',
      'pull theirs',
      `save --output ${file} ours theirs`,
    ]);
    expect(JSON.parse(readFileSync(`${file}.json`, 'utf8'))).toMatchObject({ images: { ours: 'built', theirs: 'pulled' } });
  });

  it('are loaded and compared with the saved ones', () => {
    const file = join(folder, 'images.tar');
    airgap(['save', file]);
    expect(airgap(['load', file])).toMatchObject({ status: 0, printed: expect.stringContaining('2 images') as string });
    expect(airgap(['load', file], { PULLED: 'another' })).toMatchObject({
      status: 1,
      printed: expect.stringMatching(/other images.*theirs/) as string,
    });
  });

  it('are not loaded from a damaged archive', () => {
    const file = join(folder, 'images.tar');
    airgap(['save', file]);
    appendFileSync(file, 'x');
    rmSync(join(folder, 'calls'));
    expect(airgap(['load', file])).toMatchObject({ status: 1, printed: expect.stringContaining('is damaged') as string });
    expect(existsSync(join(folder, 'calls'))).toBe(false);
  });

  it('need a command and a file', () => {
    for (const words of [[], ['save'], ['store', 'x']]) expect(airgap(words)).toMatchObject({ status: 2 });
    expect(airgap(['load', join(folder, 'absent')])).toMatchObject({
      status: 1,
      printed: expect.stringContaining('absent.json') as string,
    });
  });
});
