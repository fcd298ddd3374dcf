import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Script {
  readonly LEAST_NATS_SERVER: string;
  ensureNatsServer(options: {
    binDir: string;
    env: NodeJS.ProcessEnv;
    progress: { note(text: string): void; step<T>(title: string, work: (detail: () => void) => Promise<T>): Promise<T> };
    folders: string[];
  }): Promise<{ path: string; version: string }>;
}

const { ensureNatsServer, LEAST_NATS_SERVER } = (await import(new URL('nats-server.mjs', import.meta.url).href)) as Script;

let folder: string;
let notes: string[];
const path = process.env['PATH'];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway bin '));
  notes = [];
});

afterEach(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true, force: true });
});

function program(file: string, lines: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
}

const server = (file: string, version: string): void => program(file, `echo "nats-server: v${version}"`);

/** An archive whose releases hold these versions; null = the signature is wrong. `own` is this system's package. */
function archive(releases: Record<string, string | null>): void {
  const tools = join(folder, 'tools');
  const version = Object.entries(releases).map(
    ([name, held]) => `  ${name}) ${held === null ? 'echo "E: The repository is not signed." >&2; exit 100' : `version=${held}`} ;;`,
  );
  program(
    join(tools, 'apt-get'),
    `case "$*" in *indextargets*) echo http://mirror.test/debian/; exit 0;; esac
release=own
[ -f debian.list ] && release=$(cut -d ' ' -f 4 debian.list)
echo "$release $(cat debian.list 2>/dev/null)" >> '${folder}/asked'
case "$release" in
${version.join('\n')}
  *) echo "E: no network" >&2; exit 100 ;;
esac
case "$*" in *download*) echo "$version" > nats-server_$version.deb ;; esac`,
  );
  program(
    join(tools, 'dpkg'),
    `mkdir -p "$3/usr/sbin"
printf '#!/bin/sh\\necho nats-server: v%s\\n' "$(cat "$2")" > "$3/usr/sbin/nats-server"; chmod +x "$3/usr/sbin/nats-server"`,
  );
  process.env['PATH'] = `${tools}${delimiter}${path ?? ''}`;
}

/** Puts a version there as an earlier start would have. */
function keepAs(binary: string, version: string): void {
  server(binary, version);
  writeFileSync(`${binary}.json`, JSON.stringify({ sha256: createHash('sha256').update(readFileSync(binary)).digest('hex') }));
}

const asked = (): string => readFileSync(join(folder, 'asked'), 'utf8');

const ensure = (env: NodeJS.ProcessEnv = {}): Promise<{ path: string; version: string }> =>
  ensureNatsServer({
    binDir: join(folder, 'bin'),
    env,
    folders: [join(folder, 'sbin')],
    progress: { note: (text) => void notes.push(text), step: (_, work) => work(() => undefined) },
  });

describe('nats-server', () => {
  it('is the installed one, without network access', async () => {
    archive({});
    server(join(folder, 'sbin/nats-server'), LEAST_NATS_SERVER);
    expect(await ensure()).toEqual({ path: join(folder, 'sbin/nats-server'), version: LEAST_NATS_SERVER });
    server(join(folder, 'path/nats-server'), '10.0.0');
    expect(await ensure({ PATH: join(folder, 'path') })).toMatchObject({ version: '10.0.0' });
    expect(notes).toEqual([]);
  });

  it.each(['2.9.10', '2.10.26', '1.99.99'])('is not the installed one when that is %s, and says so', async (version) => {
    archive({ forky: '2.15.1' });
    server(join(folder, 'sbin/nats-server'), version);
    expect(await ensure()).toEqual({ path: join(folder, 'bin/nats-server'), version: '2.15.1' });
    expect(notes).toEqual([`Not used: ${folder}/sbin/nats-server is ${version}; Slipway needs ${LEAST_NATS_SERVER} or newer.`]);
  });

  it('comes from the newest usable release of Debian', async () => {
    archive({ forky: null, trixie: '2.10.27', own: '2.9.10' });
    expect(await ensure()).toMatchObject({ version: '2.10.27' });
    expect(asked()).toMatch(/^forky .*\n(trixie deb \[target=Packages\] http:\/\/mirror\.test\/debian\/ trixie main\n){2}$/);
  });

  it('is downloaded once, then found offline', async () => {
    archive({ forky: '2.15.1' });
    await ensure();
    archive({});
    expect(await ensure()).toEqual({ path: join(folder, 'bin/nats-server'), version: '2.15.1' });
  });

  it.each([
    ['an older Slipway fetched', (binary: string) => keepAs(binary, '2.9.10')],
    ['that was changed', (binary: string) => server(binary, '2.16.0')],
  ])('replaces one that %s', async (_, change) => {
    archive({ forky: '2.15.1' });
    const { path: binary } = await ensure();
    change(binary);
    expect(await ensure()).toEqual({ path: binary, version: '2.15.1' });
  });

  it('is never older than the least version', async () => {
    archive({ forky: null, own: '2.9.10' });
    const failure = (await ensure().catch((error: unknown) => error)) as Error;
    expect(failure.message).toContain(`nats-server ${LEAST_NATS_SERVER} or newer is missing`);
    expect(failure.message).toMatch(
      /Debian forky: .*not signed.*\n.*Debian trixie: .*no network.*\n.*this system: the package has version 2\.9\.10/,
    );
  });

  it('is the one that NATS_SERVER_BIN names, or none', async () => {
    server(join(folder, 'named'), '2.12.0');
    expect(await ensure({ NATS_SERVER_BIN: join(folder, 'named') })).toMatchObject({ version: '2.12.0' });
    server(join(folder, 'named'), '2.9.10');
    await expect(ensure({ NATS_SERVER_BIN: join(folder, 'named') })).rejects.toThrow(LEAST_NATS_SERVER);
  });

  it('has the same least version in the documentation', () => {
    const operations = readFileSync(new URL('../../docs/operations/nats.md', import.meta.url), 'utf8');
    expect(operations).toContain(`nats-server ${LEAST_NATS_SERVER} or newer`);
  });
});
