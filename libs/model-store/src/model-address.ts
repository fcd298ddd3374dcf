import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { DownloadError } from './download-error.js';

const HUB = 'https://huggingface.co/';
/** `model-00001-of-00003.gguf`: one part of a split model, of which llama.cpp reads all parts. */
const PART = /^(?<stem>.*)-\d{5}-of-(?<count>\d{5})\.gguf$/;
/** `model.gguf.part1of3`: one piece of a file. */
const PIECE = /^(?<stem>.*\.gguf)\.part(?<nth>\d+)of(?<count>\d+)$/;
const NAME_CHARS = 160;

const Manifest = z.object({ ggufFile: z.object({ rfilename: z.string().min(1) }) });

/** A file of a model and its URLs; the file is their contents in this order. */
export interface ModelFile {
  readonly name: string;
  readonly urls: readonly string[];
}

/** Whether an address names a file on a hub. */
export const isHubUri = (uri: string): boolean => uri.startsWith('hf:');

/** Base URL of the hub, from `MODEL_ENDPOINT` or `HF_ENDPOINT`. */
function hubBase(env: NodeJS.ProcessEnv): string {
  const base = [env['MODEL_ENDPOINT'], env['HF_ENDPOINT']].find((url) => url !== undefined && URL.canParse(url)) ?? HUB;
  return base.endsWith('/') ? base : `${base}/`;
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** A file on a hub: by path and branch, or by a tag that the hub's manifest resolves. */
interface HubName {
  /** User and repository, URL-encoded. */
  readonly repo: string;
  readonly tag: string;
  readonly path: string;
  readonly branch: string;
}

/** @throws DownloadError when the URI has no user or repository. */
function hubName(uri: string): HubName {
  const [user = '', name = '', ...rest] = uri.replace(/^hf:(\/\/)?/, '').split('/');
  const [path = '', branch] = rest.join('/').split('#');
  const [repo = '', tag] = name.split(':');
  if (user === '' || repo === '') throw new DownloadError('The hf: URI of the model names no file.', { left: 'nothing' });
  return { repo: `${encodeURIComponent(user)}/${encodeURIComponent(repo)}`, tag: tag || 'latest', path, branch: branch || 'main' };
}

/** The address of `hf:user/repo/file.gguf#branch`, or of `hf:user/repo:tag`. @throws DownloadError where it names no file. */
async function hubUrl(uri: string, base: string, json: (url: string) => Promise<unknown>): Promise<string> {
  const { repo, tag, path, branch } = hubName(uri);
  if (path !== '') return `${base}${repo}/resolve/${encodeURIComponent(branch)}/${encoded(path)}?download=true`;
  const manifest = Manifest.safeParse(await json(`${base}v2/${repo}/manifests/${encodeURIComponent(tag)}`));
  if (!manifest.success) throw new DownloadError('The hub names no GGUF file for this hf: URI.', { left: 'nothing' });
  return `${base}${repo}/resolve/main/${encoded(manifest.data.ggufFile.rfilename)}?download=true`;
}

/** Replaces the URL of a hub's file page by that of the file itself. */
function fileUrl(uri: string, base: string): string {
  const url = new URL(uri);
  const parts = url.pathname.split('/');
  if (url.hostname !== new URL(base).hostname || parts[3] !== 'blob') return uri;
  parts[3] = 'resolve';
  url.pathname = parts.join('/');
  return url.href;
}

function nameOf(pathname: string): string {
  const last = decodeURIComponent(pathname.split('/').at(-1) ?? '');
  const name = last
    .replaceAll(/[^\w.+-]/g, '_')
    .replace(/^\.+/, '')
    .slice(-NAME_CHARS);
  return name === '' ? 'model.gguf' : name;
}

const withPath = (address: string, pathname: string): string => {
  const url = new URL(address);
  url.pathname = pathname;
  return url.href;
};

function numbered(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** The files of a URL: all parts of a split model in order. A file in pieces has several URLs. */
function filesAt(address: string): ModelFile[] {
  const { pathname } = new URL(address);
  const part = PART.exec(pathname)?.groups;
  if (part?.['stem'] !== undefined && Number(part['count']) > 0) {
    const paths = numbered(Number(part['count'])).map((n) => `${part['stem']}-${String(n).padStart(5, '0')}-of-${part['count']}.gguf`);
    return paths.map((path) => ({ name: nameOf(path), urls: [withPath(address, path)] }));
  }
  const piece = PIECE.exec(pathname)?.groups;
  if (piece?.['stem'] !== undefined && Number(piece['count']) > 0) {
    const digits = piece['nth']?.length ?? 1;
    const paths = numbered(Number(piece['count'])).map((n) => `${piece['stem']}.part${String(n).padStart(digits, '0')}of${piece['count']}`);
    return [{ name: nameOf(piece['stem']), urls: paths.map((path) => withPath(address, path)) }];
  }
  return [{ name: nameOf(pathname), urls: [address] }];
}

/**
 * Resolves an https URL or `hf:` URI to files. Forms and environment variables are those of llama.cpp and the hub's own tools.
 * @param json fetches the manifest that a tag needs.
 */
export async function modelFiles(uri: string, json: (url: string) => Promise<unknown>, env: NodeJS.ProcessEnv): Promise<ModelFile[]> {
  const base = hubBase(env);
  return filesAt(isHubUri(uri) ? await hubUrl(uri, base, json) : fileUrl(uri, base));
}

/** The credential for the hub: `HF_TOKEN`, or the token file of the hub's tools; null = none. */
export async function hubToken(env: NodeJS.ProcessEnv): Promise<string | null> {
  if (env['HF_TOKEN'] !== undefined) return env['HF_TOKEN'] === '' ? null : env['HF_TOKEN'];
  const home = env['HF_HOME'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'huggingface');
  const text = await readFile(env['HF_TOKEN_PATH'] ?? join(home, 'token'), 'utf8').catch(() => '');
  return text.trim() === '' ? null : text.trim();
}
