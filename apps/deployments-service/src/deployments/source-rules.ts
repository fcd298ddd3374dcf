import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { type ModelSource, ServiceError, type SourceKind } from '@slipway/contracts';
import { HostList } from '@slipway/platform';

export interface SourceLists {
  /** Folders under which model files may lie. */
  readonly modelDirs: readonly string[];
  /** Hosts from which models may be downloaded. */
  readonly modelHosts: readonly string[];
  /** Hosts of HTTP engines. */
  readonly engineHosts: readonly string[];
}

const HUGGING_FACE = new URL('https://huggingface.co');
/** `hf:user/repo/file.gguf`, or `hf:user/repo:quantization`, each with an optional `#revision`. */
const HF_URI = /^hf:[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*(?:(?:\/[\w][\w.-]*)+|:[\w.-]+)(?:#[\w./-]+)?$/;

/** Bounds the work of resolving links, which each part may need. */
const PATH_PARTS_MAX = 64;
/** Longest file name of the usual file systems. */
const PATH_PART_BYTES = 255;

const invalid = (param: string, message: string): ServiceError =>
  new ServiceError('invalid_request', message, { param: `source.${param}` });
const refused = (param: string, message: string): ServiceError =>
  new ServiceError('source_not_allowed', message, { param: `source.${param}` });

/** Whether sources of a kind are allowed. */
export interface AllowedSource {
  readonly allowed: boolean;
  readonly hosts: string[];
  /** What the operator must set. */
  readonly detail: string;
}

function allowedBy(
  list: readonly string[],
  { hosts, what, variable }: { hosts: readonly string[]; what: string; variable: string },
): AllowedSource {
  const where = `${variable} of deployments-service and of the workers`;
  const detail = list.length > 0 ? `The operator can allow more by ${where}.` : `${what} are not allowed; the operator can set ${where}.`;
  return { allowed: list.length > 0, hosts: [...hosts], detail };
}

/** Checks the model sources that tenants name against the operator's lists. Everything that is not listed is refused. */
export class SourceRules {
  readonly #lists: SourceLists;
  readonly #modelDirs: readonly string[];
  readonly #modelHosts: HostList;
  readonly #engineHosts: HostList;

  /** @throws TypeError for a relative folder or an invalid host in a list */
  constructor(lists: SourceLists) {
    const relative = lists.modelDirs.find((dir) => !isAbsolute(dir));
    if (relative !== undefined) throw new TypeError(`"${relative}" is not an absolute folder.`);
    this.#lists = lists;
    this.#modelDirs = lists.modelDirs.map((dir) => resolve(dir));
    this.#modelHosts = new HostList(lists.modelHosts);
    this.#engineHosts = new HostList(lists.engineHosts);
  }

  /** What the lists allow, for people who choose a source. Folders of the operator are not named. */
  describe(): Record<SourceKind, AllowedSource> {
    const { modelDirs, modelHosts, engineHosts } = this.#lists;
    return {
      file: allowedBy(modelDirs, { hosts: [], what: 'Model files', variable: 'MODEL_DIRS' }),
      download: allowedBy(modelHosts, { hosts: modelHosts, what: 'Downloads of models', variable: 'MODEL_HOSTS' }),
      http: allowedBy(engineHosts, { hosts: engineHosts, what: 'HTTP engines', variable: 'ENGINE_HOSTS' }),
    };
  }

  /**
   * Returns the source with its path normalised.
   * @throws ServiceError `source_not_allowed` that names the field and the operator's setting, or `invalid_request` for a
   *   malformed source
   */
  async check(source: ModelSource): Promise<ModelSource> {
    switch (source.kind) {
      case 'file':
        return { ...source, path: await this.#checkPath(source.path) };
      case 'download':
        this.#checkDownload(source.uri);
        return source;
      case 'http':
        this.#checkEngine(source.url);
        return source;
    }
  }

  async #checkPath(path: string): Promise<string> {
    if (!isAbsolute(path) || path.includes('\0')) throw invalid('path', 'Name the model file by its absolute path.');
    const normalised = resolve(path);
    const parts = normalised.split(sep);
    if (parts.length > PATH_PARTS_MAX || parts.some((part) => Buffer.byteLength(part) > PATH_PART_BYTES))
      throw invalid('path', `A path has at most ${PATH_PARTS_MAX} parts of ${PATH_PART_BYTES} bytes.`);
    const real = await realPathOf(normalised);
    const allowed = await Promise.all(this.#modelDirs.map(async (dir) => isUnder(normalised, dir) && isUnder(real, await realPathOf(dir))));
    if (allowed.includes(true)) return normalised;
    throw refused(
      'path',
      'This file is outside the folders for model files, links resolved; the operator can add its folder to MODEL_DIRS of deployments-service and of the workers.',
    );
  }

  #checkDownload(uri: string): void {
    const url = downloadUrl(uri);
    if (this.#modelHosts.allows(url)) return;
    throw refused(
      'uri',
      `Models may not be downloaded from ${url.host}; the operator can add it to MODEL_HOSTS of deployments-service and of the workers.`,
    );
  }

  #checkEngine(text: string): void {
    const url = new URL(text);
    rejectHiddenParts(url, 'url');
    if (this.#engineHosts.allows(url)) return;
    throw refused(
      'url',
      `Engines at ${url.host} are not allowed; the operator can add it to ENGINE_HOSTS of deployments-service and of the workers.`,
    );
  }
}

function downloadUrl(uri: string): URL {
  if (uri.startsWith('hf:')) {
    if (!HF_URI.test(uri)) throw invalid('uri', 'Write a Hugging Face model as hf:user/repo/file.gguf.');
    return HUGGING_FACE;
  }
  if (!URL.canParse(uri)) throw invalid('uri', 'Name the model by an https URL, or as hf:user/repo/file.gguf.');
  const url = new URL(uri);
  if (url.protocol !== 'https:') throw invalid('uri', 'Models are downloaded over https only.');
  rejectHiddenParts(url, 'uri');
  return url;
}

/** Members of the account see the address, so it must hold no secret. */
function rejectHiddenParts(url: URL, param: string): void {
  if (url.username !== '' || url.password !== '') throw invalid(param, 'The URL must not hold a user name or password.');
  if (param === 'url' && (url.search !== '' || url.hash !== ''))
    throw invalid(param, 'The base URL of an engine has no query and no fragment.');
}

const isUnder = (path: string, dir: string): boolean => path.startsWith(dir.endsWith(sep) ? dir : dir + sep);

/** Resolves links in the part of the path that exists on this machine. The rest, which only workers have, stays as it is. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    // A loop of links has no target. For other errors the readable part of the path decides.
    if (parent === path || (error as NodeJS.ErrnoException).code === 'ELOOP') return path;
    return join(await realPathOf(parent), basename(path));
  }
}
