import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The parts of a service that tests read; the whole file is validated against the published schema. */
export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly target: string; readonly args?: Readonly<Record<string, string>> };
  readonly user?: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas?: string };
  readonly healthcheck?: {
    readonly disable?: boolean;
    readonly test?: readonly string[];
    readonly interval?: string;
    readonly timeout?: string;
  };
  readonly init?: boolean;
  readonly read_only?: boolean;
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly stop_signal?: string;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, object>>;
}

/** One mount of a service: a path of the host or the name of a volume, and where the container sees it. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly isVolume: boolean;
  readonly readOnly: boolean;
}

const VARIABLE = /\$\{([A-Z][A-Z0-9_]*)(?:(:?-)([^}]*))?\}/g;

/** Names of the variables that the file takes from the environment. */
export const variablesIn = (text: string): Set<string> => new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name));

const VARIABLE_OR_DOLLAR = new RegExp(`\\$\\$|${VARIABLE.source}`, 'g');

/** Substitutes variables like Compose: `:-` also replaces an empty value, `$$` is a dollar. A variable without default is required. */
function interpolate(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replace(VARIABLE_OR_DOLLAR, (whole, name: string, operator: string | undefined, fallback: string | undefined) => {
    if (whole === '$$') return '$';
    const value = environment[name];
    if (value !== undefined && (value !== '' || operator !== ':-')) return value;
    if (fallback === undefined) throw new Error(`${whole} has no value.`);
    return fallback;
  });
}

function interpolateAll(value: unknown, environment: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return interpolate(value, environment);
  if (Array.isArray(value)) return value.map((entry) => interpolateAll(entry, environment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, interpolateAll(entry, environment)]));
}

/** Reads a Compose file like `docker compose` with this environment and no `.env`. */
export function readComposeFile(path: string, environment: Readonly<Record<string, string>> = {}): ComposeFile {
  return interpolateAll(parse(readFileSync(path, 'utf8'), { merge: true }), environment) as ComposeFile;
}

/** A service's mounts, from their short form `source:target[:options]`. */
export function mountsOf({ volumes = [] }: ComposeService): Mount[] {
  return volumes.map((volume) => {
    const [source = '', target = '', options = ''] = volume.split(':');
    return { source, target, isVolume: !/^[./]/.test(source), readOnly: options.split(',').includes('ro') };
  });
}
