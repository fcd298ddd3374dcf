import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

interface Party {
  readonly name: string;
  readonly licence: string;
  readonly texts: readonly string[];
}

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly purl: string;
  readonly licenses: readonly unknown[];
  readonly hashes?: readonly { readonly content: string }[];
}

interface Script {
  thirdParties(): readonly Party[];
  noticesPage(parties: readonly Party[]): string;
  billOfMaterials(parties: readonly Party[]): { readonly components: readonly Component[] };
}

const path = './third-parties.mjs';
const { billOfMaterials, noticesPage, thirdParties } = (await import(path)) as Script;
const parties = thirdParties();
const workspaces = ['apps', 'libs'].flatMap((folder) => readdirSync(`${root}${folder}`).map((name) => `${folder}/${name}/package.json`));

describe('the third-party notices', () => {
  it('are what `npm run notices` writes', () => {
    expect(read('THIRD_PARTY_NOTICES.md') === noticesPage(parties), 'Run `npm run notices`.').toBe(true);
  });

  it('contain a licence text for every row', () => {
    expect(parties.filter(({ texts }) => texts.length === 0).map(({ name }) => name)).toEqual([]);
    const textOf = (name: string): string => parties.find((party) => party.name === name)?.texts.join('\n') ?? '';
    expect(textOf('llama.cpp')).toContain('The ggml authors');
    expect(textOf('Node.js')).toContain('Node.js contributors');
    expect(textOf('PostgreSQL')).toContain('PostgreSQL Global Development Group');
    expect(textOf('@rolldown/binding-linux-x64-gnu')).toBe(textOf('rolldown'));
  });

  it('name every dependency of every workspace, and the servers', () => {
    const wanted = ['package.json', ...workspaces].flatMap((path) =>
      Object.entries((JSON.parse(read(path)) as { dependencies?: Record<string, string> }).dependencies ?? {}).map(
        // An alias is installed under another name than that of its package.
        ([name, version]) => /^npm:(.+)@/.exec(version)?.[1] ?? name,
      ),
    );
    const named = new Set(parties.map(({ name }) => name));
    expect(wanted.filter((name) => !name.startsWith('@slipway/') && !named.has(name))).toEqual([]);
    for (const server of ['llama.cpp', 'nats-server', 'PostgreSQL', 'Node.js', 'NVIDIA CUDA', '@node-llama-cpp/linux-x64-cuda'])
      expect(named).toContain(server);
  });

  it('read licences that the lock file omits', () => {
    const licenceOf = (name: string): string | undefined => parties.find((party) => party.name === name)?.licence;
    expect([licenceOf('passport-strategy'), licenceOf('pause')]).toEqual(['MIT', 'MIT']);
  });

  it('contain no copyleft licence', () => {
    expect(parties.filter(({ licence }) => /\b[AL]?GPL|SSPL|BUSL/.test(licence))).toEqual([]);
  });
});

describe('the bill of materials', () => {
  it('describes every component completely', () => {
    const { components } = billOfMaterials(parties);
    expect(new Set(components.map((component) => component['bom-ref'])).size).toBe(parties.length);
    for (const { purl, licenses } of components) {
      expect(purl).toMatch(/^pkg:(?:(?:npm|github|docker)\/.+@.+|generic\/.+)$/);
      expect(licenses).toHaveLength(1);
    }
    const withoutDigest = components.filter(({ purl, hashes }) => purl.startsWith('pkg:npm/') && hashes === undefined);
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { integrity?: string }> };
    for (const { name } of withoutDigest) expect(packages[`node_modules/${name}`]?.integrity, name).toBeUndefined();
    for (const { hashes } of components) if (hashes) expect(hashes[0]?.content).toMatch(/^[0-9a-f]{40,128}$/);
  });

  it('is reproducible from the same sources', () => {
    expect(JSON.stringify(billOfMaterials(thirdParties()))).toBe(JSON.stringify(billOfMaterials(parties)));
  });
});
