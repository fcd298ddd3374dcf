import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { CHART } from './chart.js';

const run = promisify(execFile);
/** Helm asks for the version of the cluster, which `template` does not know. */
const KUBE_VERSION = ['--kube-version', '1.36.0'];

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly Variable[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly lifecycle?: { readonly preStop?: { readonly exec: { readonly command: readonly string[] } } };
  readonly resources?: { readonly limits?: Readonly<Record<string, unknown>> };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface PodSpec {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes: readonly Readonly<Record<string, unknown> & { name: string }>[];
}

export interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Runs helm. @throws Error with what it printed */
export async function helm(binary: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await run(binary, [...words], { maxBuffer: 2 ** 26, timeout: 120_000 });
  return stdout;
}

/** How to render: a packaged chart in place of the folder, and further flags of helm. */
interface Rendering {
  readonly chart?: string;
  readonly flags?: readonly string[];
}

/** What the chart makes of a value file. */
export async function renderChart(binary: string, file: string, { chart = CHART, flags = [] }: Rendering = {}): Promise<string> {
  return helm(binary, 'template', 'slipway', chart, '--namespace', 'serving', '--values', file, ...KUBE_VERSION, ...flags);
}

export const lintChart = (binary: string, file: string): Promise<string> =>
  helm(binary, 'lint', CHART, '--strict', '--values', file, ...KUBE_VERSION);

export const objectsOf = (text: string): KubernetesObject[] =>
  parseAllDocuments(text, { version: '1.1' })
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((one) => one !== null);

/** Pods of an object: of a Deployment, a StatefulSet, a Job or a CronJob. */
export function podOf({ spec }: KubernetesObject): PodSpec | undefined {
  const job = spec?.['jobTemplate'] as KubernetesObject | undefined;
  return job ? podOf(job) : (spec?.['template'] as { spec?: PodSpec } | undefined)?.spec;
}
