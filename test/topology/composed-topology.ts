import { chown, cp, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNatsServer, freePorts } from '@slipway/testing';
import { type ComposeFile, type ComposeService, type Mount, mountsOf } from './compose-file.js';
import { ComposedProcess, type ProcessPlan } from './composed-process.js';
import type { Image } from './image-builder.js';

const FETCH = fileURLToPath(new URL('fetch-status.mjs', import.meta.url));
const SECRETS = './deploy/secrets';
/** Ports of containers, each mapped to a free port of this machine. */
const CONTAINER_PORTS = [4222, 6222, 8222, 8080, 8081, 9090];

/** One container: a service or one of its replicas. */
export interface Instance {
  readonly name: string;
  readonly service: ComposeService;
}

export interface TopologyOptions {
  readonly compose: ComposeFile;
  /** By the name of the image. */
  readonly images: ReadonlyMap<string, Image>;
  /** Root of the repository, to which the Compose file's paths are relative. */
  readonly root: string;
  /** Empty folder for secrets, volumes and mounts. */
  readonly folder: string;
  /** `host:port` of the server used for the service `postgres`. */
  readonly postgres: string;
}

/** Services as containers, replicas numbered as Compose does. */
export function instancesOf(compose: ComposeFile): Instance[] {
  return Object.entries(compose.services).flatMap(([name, service]) => {
    const replicas = service.deploy?.replicas;
    if (replicas === undefined) return [{ name, service }];
    return Array.from({ length: Number(replicas) }, (_, i) => ({ name: `${name}-${i + 1}`, service }));
  });
}

/**
 * The Compose file's containers as processes of this machine: the same programs, arguments, variables and files, with host
 * names, ports and paths translated to this machine.
 */
export class ComposedTopology {
  readonly instances: readonly Instance[];
  readonly secrets: string;
  /** `name:port` in the Compose network, to a port of this machine. */
  readonly #ports = new Map<string, number>();

  private constructor(private readonly options: TopologyOptions) {
    this.instances = instancesOf(options.compose);
    this.secrets = join(options.folder, 'secrets');
  }

  static async lay(options: TopologyOptions): Promise<ComposedTopology> {
    const topology = new ComposedTopology(options);
    const names = topology.instances.flatMap(({ name }) => CONTAINER_PORTS.map((port) => `${name}:${port}`));
    const ports = await freePorts(names.length);
    for (const [i, name] of names.entries()) topology.#ports.set(name, ports[i] ?? 0);
    await mkdir(topology.secrets);
    for (const volume of Object.keys(options.compose.volumes)) await mkdir(join(options.folder, 'volumes', volume), { recursive: true });
    return topology;
  }

  instance(name: string): Instance {
    const found = this.instances.find((one) => one.name === name);
    if (!found) throw new Error(`The Compose file has no ${name}.`);
    return found;
  }

  /** Port of this machine for a container's port. */
  portOf(name: string, port: number): number {
    return this.#ports.get(`${name}:${port}`) ?? 0;
  }

  /** Prepares the mounts of a container and returns how to start it. The mounted files must exist. */
  async prepare(name: string, args?: readonly string[]): Promise<ComposedProcess> {
    const instance = this.instance(name);
    const paths = await this.#mount(instance);
    return new ComposedProcess(this.#plan(instance, paths, args));
  }

  #plan({ name, service }: Instance, paths: ReadonlyMap<string, string>, args?: readonly string[]): ProcessPlan {
    const image = this.#imageOf(service);
    const here = (text: string): string => this.#localise(text, name, paths);
    const all = Object.entries({ ...image.environment, ...service.environment });
    const environment = all.map(([variable, value]): [string, string] => [variable, this.#variable(variable, here(String(value)), name)]);
    const { entrypoint = [], command = image.command, healthcheck = { test: image.healthcheck }, user = image.user } = service;
    const [word = '', ...words] = [...entrypoint, ...(args ?? command)];
    return {
      name,
      command: [program(word), ...words.map((other) => (PROGRAMS.has(other) ? program(other) : here(other)))],
      programs: [word, ...words.filter((other) => PROGRAMS.has(other))].map(program),
      probe: probeHere(healthcheck.test ?? []).map(here),
      cwd: join(image.root, image.workdir),
      environment: { PATH: process.env['PATH'] ?? '', ...Object.fromEntries(environment) },
      user,
    };
  }

  /** Programs of pulled images must exist on this machine. */
  #imageOf({ image }: ComposeService): Image {
    const pulled = { root: this.options.folder, workdir: '/', environment: {}, user: '0:0', command: [], healthcheck: [] };
    return this.options.images.get(image) ?? pulled;
  }

  /** Variables to change, because processes of one machine cannot all listen on fixed ports. */
  #variable(variable: string, value: string, name: string): string {
    if (['PORT', 'CONSOLE_PORT', 'OPS_PORT'].includes(variable)) return String(this.portOf(name, Number(value)));
    return value === '0.0.0.0' ? '127.0.0.1' : value;
  }

  /** Translates text for a container to this machine: `nats-1:4222`, own listeners, paths. */
  #localise(text: string, name: string, paths: ReadonlyMap<string, string>): string {
    const address = (host: string, port: string): string => `127.0.0.1:${this.portOf(host, Number(port))}`;
    let result = text
      .replace(/(?<=^|[/@,"\s])([a-z][a-z0-9-]*):(\d{4})\b/g, (whole, host: string, port: string) => {
        if (host === 'postgres') return this.options.postgres;
        return this.#ports.has(`${host}:${port}`) ? address(host, port) : whole;
      })
      .replace(/\b(?:0\.0\.0\.0|127\.0\.0\.1):(4222|6222|8222)\b/g, (_, port: string) => address(name, port))
      .replace(/^host: "0\.0\.0\.0"$/m, 'host: "127.0.0.1"')
      .replace(/^port: (\d+)$/m, (_, port: string) => `port: ${this.portOf(name, Number(port))}`);
    for (const [target, path] of paths) result = result.replaceAll(new RegExp(`(?<=^|["=,\\s])${target}(?=$|[/",\\s])`, 'gm'), path);
    return result;
  }

  /** Local path for each path of the container. */
  async #mount(instance: Instance): Promise<Map<string, string>> {
    const image = this.options.images.get(instance.service.image);
    const paths = new Map(image ? [['/app', join(image.root, 'app')]] : []);
    const mounts = mountsOf(instance.service);
    for (const mount of mounts) paths.set(mount.target, await this.#pathOf(instance, mount));
    for (const mount of mounts.filter(({ source, readOnly }) => readOnly && source.startsWith(`${SECRETS}/`)))
      await this.#copySecrets(this.#secretsPath(mount), paths.get(mount.target) ?? '', (text) =>
        this.#localise(text, instance.name, paths),
      );
    return paths;
  }

  #secretsPath({ source }: Mount): string {
    return join(this.secrets, source.slice(SECRETS.length));
  }

  async #pathOf({ name }: Instance, mount: Mount): Promise<string> {
    const { source, target, isVolume, readOnly } = mount;
    if (isVolume) return join(this.options.folder, 'volumes', source);
    if (source === SECRETS) return this.secrets;
    const path = join(this.options.folder, 'mounts', name, target);
    if (readOnly && source.startsWith(SECRETS)) return path;
    // A copy, because the container's user may not be able to read the repository.
    const shared = join(this.options.folder, 'mounts', target);
    await cp(join(this.options.root, source), shared, { recursive: true, force: false });
    return shared;
  }

  /** Copies files with owners and modes, and translates the names in them. */
  async #copySecrets(from: string, to: string, translate: (text: string) => string): Promise<void> {
    const keepOwner = async (source: string, target: string): Promise<void> => {
      const { uid, gid } = await stat(source);
      if (process.getuid?.() === 0) await chown(target, uid, gid);
    };
    await mkdir(to, { recursive: true });
    await keepOwner(from, to);
    for (const entry of await readdir(from, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      await writeFile(target, translate(await readFile(source, 'utf8')), { mode: (await stat(source)).mode & 0o777 });
      await keepOwner(source, target);
    }
  }
}

const PROGRAMS = new Map<string, () => string>([
  ['node', () => process.execPath],
  ['nats-server', findNatsServer],
  ['sh', () => 'sh'],
]);

const program = (word: string): string => {
  const found = PROGRAMS.get(word);
  if (!found) throw new Error(`The tests do not know the program ${word}.`);
  return found();
};

/** The command of a health check; `wget` is replaced by a request from Node. */
function probeHere(test: readonly string[]): readonly string[] {
  const words = test[0] === 'CMD' ? test.slice(1) : test;
  if (words[0] === 'wget') return [process.execPath, FETCH, words.at(-1) ?? ''];
  return words[0] === 'node' ? [process.execPath, ...words.slice(1)] : words;
}
