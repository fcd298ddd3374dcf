import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), 'utf8'));
const exists = (path: string): boolean => existsSync(new URL(path, root));

const FOLDERS = ['apps', 'libs'].flatMap((parent) =>
  readdirSync(new URL(parent, root))
    .map((name) => `${parent}/${name}`)
    .filter((folder) => exists(`${folder}/package.json`)),
);
/** All but the dashboard, which vite builds. */
const BUILT = FOLDERS.filter((folder) => !exists(`${folder}/vite.config.ts`));

interface Package {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
}
interface NestProject {
  readonly type: string;
  readonly root: string;
  readonly sourceRoot: string;
  readonly entryFile: string;
  readonly compilerOptions: { readonly tsConfigPath: string };
}

const nest = read('nest-cli.json') as { root: string; sourceRoot: string; projects: Record<string, NestProject> };
const referencesOf = (path: string): string[] =>
  ((read(path) as { references?: { path: string }[] }).references ?? []).map((reference) =>
    reference.path.replace(/\/tsconfig\.build\.json$/, ''),
  );

describe('nest-cli.json', () => {
  it('lists exactly the existing apps and libraries', () => {
    expect(
      Object.values(nest.projects)
        .map((project) => project.root)
        .toSorted(),
    ).toEqual(BUILT.toSorted());
  });

  it.each(Object.entries(nest.projects))('points %s to files that exist', (name, project) => {
    const isLibrary = project.root.startsWith('libs/');
    expect(project).toEqual({
      type: isLibrary ? 'library' : 'application',
      root: `${isLibrary ? 'libs' : 'apps'}/${name}`,
      sourceRoot: `${project.root}/src`,
      entryFile: isLibrary ? 'index' : 'main',
      compilerOptions: { tsConfigPath: `${project.root}/tsconfig.build.json` },
    });
    for (const file of [project.compilerOptions.tsConfigPath, `${project.sourceRoot}/${project.entryFile}.ts`])
      expect([file, exists(file)]).toEqual([file, true]);
  });
});

describe('the build', () => {
  it('covers every app and library', () => {
    expect(referencesOf('tsconfig.build.json').toSorted()).toEqual(BUILT.toSorted());
  });

  it.each(BUILT)('of %s references exactly the libraries of its package', (folder) => {
    const { dependencies = {} } = read(`${folder}/package.json`) as Package;
    const named = Object.keys(dependencies).filter((name) => name.startsWith('@slipway/'));
    const libraries = referencesOf(`${folder}/tsconfig.build.json`).filter((path) => !path.endsWith('/scripts'));
    const waited = libraries.map((path) => `@slipway/${path.split('/').at(-1) ?? ''}`);
    expect(waited.toSorted()).toEqual(named.toSorted());
  });

  it.each(FOLDERS)('finds %s under the name of its folder', (folder) => {
    expect((read(`${folder}/package.json`) as Package).name).toBe(`@slipway/${folder.split('/').at(-1) ?? ''}`);
  });
});
