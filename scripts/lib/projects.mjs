import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of each project that is compiled; the linter and editors find the one of the root instead. */
export const CONFIG = 'tsconfig.build.json';

/** Where the parts go that several linked programs share. */
export const SHARED = 'libs/platform/dist/linked';

// Specs and their samples run from source and have no output.
const isCompiled = (file) => file.endsWith('.ts') && !/\.(spec|samples|fixture|d)\.ts$/.test(file);

function projectsIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  const all = readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
  return all.filter((project) => existsSync(join(root, project, CONFIG))).sort();
}

/** Folders of apps and libraries, such as `apps/gateway`. libs/testing needs development dependencies and is no part of the product. */
export const compiledProjects = (root) => [
  ...projectsIn(root, 'apps'),
  ...projectsIn(root, 'libs').filter((library) => library !== 'libs/testing'),
];

/** Files of `src` that the description of a project leaves out: programs, which are linked. */
export function leftOut(root, project) {
  const { exclude = [] } = JSON.parse(readFileSync(join(root, project, CONFIG), 'utf8'));
  return exclude.filter((file) => !file.includes('*')).map((file) => `${project}/${file}`);
}

/** The sources of a project that are compiled one by one, such as `apps/gateway/src/gateway-service.ts`. */
export function sourcesOf(root, project) {
  const programs = new Set(leftOut(root, project));
  return readdirSync(join(root, project, 'src'), { recursive: true })
    .map((file) => `${project}/src/${file}`)
    .filter((source) => isCompiled(source) && !programs.has(source))
    .sort();
}

/** The compiled file of a source; that of a program is linked. Both are relative to the repository. */
export const outputOf = (source) => source.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
