import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { downloadOf, fileOf, type ModelSource, serverOf } from '@slipway/contracts';
import type { FirstStage } from './launch-context.js';
import type { LauncherState } from './launcher-state.js';

/** Hosts of `hf:` models, including those that downloads are redirected to. */
const HUGGING_FACE = ['huggingface.co', '*.huggingface.co', '*.hf.co'];

const bundledModel = (root: string): string => join(root, 'models/svc-tiny.Q8_0.gguf');

/** The model source of this run. */
export const wantedSource = ({ root, options }: FirstStage): ModelSource => options.source ?? { kind: 'file', path: bundledModel(root) };

/** A host with port, as in the allow lists. */
function hostOf(address: string): string {
  const url = new URL(address);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return `${url.hostname}:${port}`;
}

const downloadHosts = (uri: string): string[] => (uri.startsWith('hf:') ? HUGGING_FACE : [hostOf(uri)]);

const union = (known: readonly string[], added: readonly string[]): string[] => [...new Set([...known, ...added])];

type AllowLists = Pick<LauncherState, 'model_dirs' | 'model_hosts' | 'engine_hosts'>;

/** The allow lists: sources of this and earlier command lines, and the folder of the bundled model. */
export function allowedSources({ root, source: named }: { root: string; source: ModelSource | null }, known: AllowLists): AllowLists {
  const bundled = bundledModel(root);
  const source = named ?? { kind: 'file', path: bundled };
  const [path, uri, server] = [fileOf(source), downloadOf(source), serverOf(source)];
  const dirs = path === null ? [] : [dirname(path), dirname(realpathSync(path))];
  return {
    model_dirs: union([dirname(bundled), ...known.model_dirs], dirs),
    model_hosts: union(known.model_hosts, uri === null ? [] : downloadHosts(uri)),
    engine_hosts: union(known.engine_hosts, server === null ? [] : [hostOf(server.url)]),
  };
}

const LOOPBACK: readonly (string | undefined)[] = [undefined, '', '127.0.0.1', 'localhost', '::1'];

/**
 * Hosts of HTTP engines that `npm start` allows by itself: this machine, as long as only this machine reaches the API and the
 * console. A set `ENGINE_HOSTS`, even an empty one, takes its place.
 */
export function localEngineHosts(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { ENGINE_HOSTS: named, HOST: api, CONSOLE_HOST: page } = environment;
  return named === undefined && LOOPBACK.includes(api) && LOOPBACK.includes(page) ? ['127.0.0.1', 'localhost'] : [];
}
