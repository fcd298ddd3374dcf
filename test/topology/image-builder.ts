import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import type { BuildContext } from './docker-ignore.js';
import { type Dockerfile, type Instruction, type Stage, assignmentsOf, expand } from './dockerfile.js';

const run = promisify(execFile);
const RUN_WITHIN_MS = 300_000;
/** Environment of npm. */
const HOST_VARIABLES = /^(PATH|HOME|npm_config_.*|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;

/** A built stage: its folder on this machine, and how it runs. */
export interface Image {
  /** Folder for the container's `/`. */
  readonly root: string;
  readonly workdir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

/** State of a stage while its instructions run. */
interface Draft {
  root: string;
  workdir: string;
  args: Record<string, string>;
  environment: Record<string, string>;
  user: string;
  command: string[];
  healthcheck: string[];
}

export interface BuilderOptions {
  readonly dockerfile: Dockerfile;
  /** Build context and its filter. */
  readonly source: string;
  readonly context: BuildContext;
  /** Empty folder for the files of the images. */
  readonly folder: string;
}

/** Copies a file or the content of a folder, preserving links and modes. */
async function copyAll(from: string, to: string): Promise<void> {
  const isFolder = (await stat(from)).isDirectory();
  await mkdir(isFolder ? to : dirname(to), { recursive: true });
  await run('cp', ['-a', isFolder ? `${from}/.` : from, to]);
}

const lastArray = (text: string): string[] => JSON.parse(text.slice(text.indexOf('['))) as string[];

/** Applies an instruction that changes no file. */
function describeImage(name: string, expanded: () => string, draft: Draft): void {
  if (name === 'ENV') for (const [variable, value = ''] of assignmentsOf(expanded())) draft.environment[variable] = value;
  if (name === 'USER') draft.user = expanded();
  if (name === 'CMD') draft.command = lastArray(expanded());
  if (name === 'HEALTHCHECK') draft.healthcheck = lastArray(expanded());
}

/**
 * Runs a Dockerfile's instructions without Docker: a stage is a folder, `RUN` a shell in its working
 * directory. Images that are pulled count as empty folders, since only their Node and npm are used,
 * which this machine has. Stages are built when they are needed, and once for the same arguments.
 */
export class ImageBuilder {
  readonly #built = new Map<string, Promise<Draft>>();
  #folders = 0;

  constructor(private readonly options: BuilderOptions) {}

  /** Builds a stage. @throws Error with what a failing command printed */
  async build(target: string, args: Readonly<Record<string, string>> = {}): Promise<Image> {
    const stage = this.#find(target);
    if (!stage) throw new Error(`The Dockerfile has no stage ${target}.`);
    return this.#stage(stage, args);
  }

  #find(name: string): Stage | undefined {
    return this.options.dockerfile.stages.find((stage) => stage.name === name);
  }

  #fromOf({ from }: Stage, args: Readonly<Record<string, string>>): string {
    return expand(from, { ...this.options.dockerfile.globals, ...args });
  }

  /** The arguments that a stage depends on: its own and those of the stages that it uses. */
  #relevant(stage: Stage, args: Readonly<Record<string, string>>): Record<string, string> {
    const used = [this.#fromOf(stage, args), ...stage.instructions.map(({ flags }) => flags['from'] ?? '')];
    const below = used.map((name) => this.#find(name)).filter((one) => one !== undefined);
    const own = stage.instructions.filter(({ name }) => name === 'ARG').flatMap(({ text }) => assignmentsOf(text));
    const mine = Object.fromEntries(own.map(([name, fallback = '']) => [name, args[name] ?? fallback]));
    return Object.assign({}, ...below.map((one) => this.#relevant(one, args)), mine) as Record<string, string>;
  }

  #stage(stage: Stage, args: Readonly<Record<string, string>>): Promise<Draft> {
    const relevant = JSON.stringify(this.#relevant(stage, args));
    const key = `${stage.name ?? 'image'} ${this.#fromOf(stage, args)} ${relevant}`;
    const building = this.#built.get(key) ?? this.#buildStage(stage, args);
    this.#built.set(key, building);
    return building;
  }

  async #buildStage(stage: Stage, args: Readonly<Record<string, string>>): Promise<Draft> {
    const parentStage = this.#find(this.#fromOf(stage, args));
    const parent = parentStage && (await this.#stage(parentStage, args));
    if (parent && stage.instructions.length === 0) return parent;
    this.#folders += 1;
    const root = join(this.options.folder, String(this.#folders));
    await mkdir(root, { recursive: true, mode: 0o755 });
    if (parent) await copyAll(parent.root, root);
    const fresh = { workdir: '/', environment: {}, user: '0:0', command: [], healthcheck: [] };
    const draft: Draft = { ...(parent ?? fresh), root, args: {} };
    for (const instruction of stage.instructions) await this.#apply(instruction, draft, args);
    return draft;
  }

  async #apply({ name, flags, text }: Instruction, draft: Draft, args: Readonly<Record<string, string>>): Promise<void> {
    const expanded = (): string => expand(text, { ...draft.args, ...draft.environment });
    if (name === 'RUN') return this.#run(text, draft);
    if (name === 'COPY') return this.#copy(expanded(), flags['from'], draft, args);
    if (name === 'ARG') for (const [arg, fallback = ''] of assignmentsOf(text)) draft.args[arg] = args[arg] ?? fallback;
    if (name === 'WORKDIR') {
      draft.workdir = posix.resolve(draft.workdir, expanded());
      await mkdir(join(draft.root, draft.workdir), { recursive: true });
    }
    return describeImage(name, expanded, draft);
  }

  async #run(command: string, { root, workdir, args, environment }: Draft): Promise<void> {
    if (/(^|[\s"'=])\/(?!dev\/null)/.test(command)) throw new Error(`The tests cannot run a command with an absolute path: ${command}`);
    const host = Object.fromEntries(Object.entries(process.env).filter(([name]) => HOST_VARIABLES.test(name)));
    await run('/bin/sh', ['-c', command], {
      cwd: join(root, workdir),
      env: { ...host, ...args, ...environment },
      timeout: RUN_WITHIN_MS,
      maxBuffer: 64 * 2 ** 20,
    });
  }

  async #copy(text: string, from: string | undefined, draft: Draft, args: Readonly<Record<string, string>>): Promise<void> {
    const words = text.split(/\s+/);
    const [to = ''] = words.splice(-1);
    const target = join(draft.root, posix.resolve(draft.workdir, to));
    const stage = from === undefined ? undefined : this.#find(from);
    if (from !== undefined && !stage) throw new Error(`The tests have no image ${from} to copy from.`);
    const source = stage ? (await this.#stage(stage, args)).root : this.options.source;
    for (const word of words) {
      const path = join(source, word);
      const isFolder = (await stat(path)).isDirectory();
      const into = !isFolder && to.endsWith('/') ? join(target, posix.basename(word)) : target;
      if (stage) await copyAll(path, into);
      else await this.#copyContext(word, into);
    }
  }

  /** Copies a file or folder of the build context, without what `.dockerignore` excludes. */
  async #copyContext(path: string, to: string): Promise<void> {
    const { source, context } = this.options;
    const from = join(source, path);
    if (!(await stat(from)).isDirectory()) {
      if (!context.includes(path)) return;
      await mkdir(dirname(to), { recursive: true });
      await copyFile(from, to);
    } else if (context.mayHold(path)) {
      for (const name of await readdir(from)) await this.#copyContext(`${path}/${name}`, join(to, name));
    }
  }
}
