import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DebianPrograms, hasProgram, TOOL_CACHE } from '../testing/debian-programs.js';

const run = promisify(execFile);
const BUILD_WITHIN_MS = 3_600_000;

/** A program of the Go module proxy, or of ours that uses a module of it. */
export interface GoTool {
  readonly name: string;
  /** Our program, which is built in place of a package of the module. */
  readonly source?: string;
  /** False: without the system's C libraries, which leaves out some of the work. */
  readonly cgo?: false;
  /** Path of the program's package, and the module that holds it. */
  readonly package: string;
  readonly module: string;
  readonly version: string;
  /** Further lines of go.mod. */
  readonly modules?: readonly string[];
  /** Values that the linker sets, by the variable's path. */
  readonly values?: Readonly<Record<string, string>>;
}

export const HELM: GoTool = { name: 'helm', package: 'helm.sh/helm/v3/cmd/helm', module: 'helm.sh/helm/v3', version: 'v3.22.0' };

/** The newest Kubernetes that Go 1.26 builds. Its libraries, which the module names by folders, are modules of their own. */
const KUBERNETES = 'v1.36.3';
const STAGED = [
  ...['api', 'apiextensions-apiserver', 'apimachinery', 'apiserver', 'cli-runtime', 'client-go', 'cloud-provider', 'cluster-bootstrap'],
  ...[
    'code-generator',
    'component-base',
    'component-helpers',
    'controller-manager',
    'cri-api',
    'cri-client',
    'cri-streaming',
    'csi-translation-lib',
  ],
  ...['dynamic-resource-allocation', 'endpointslice', 'externaljwt', 'kms', 'kube-aggregator', 'kube-controller-manager', 'kube-proxy'],
  ...['kube-scheduler', 'kubectl', 'kubelet', 'metrics', 'mount-utils', 'pod-security-admission', 'sample-apiserver', 'sample-cli-plugin'],
  ...['sample-controller', 'streaming'],
];
const kubernetesProgram = (name: string): GoTool => ({
  name,
  package: `k8s.io/kubernetes/cmd/${name}`,
  module: 'k8s.io/kubernetes',
  version: KUBERNETES,
  modules: STAGED.map((staged) => `replace k8s.io/${staged} => k8s.io/${staged} ${KUBERNETES.replace('v1', 'v0')}`),
  values: { 'k8s.io/component-base/version.gitVersion': KUBERNETES },
});
export const KUBE_APISERVER = kubernetesProgram('kube-apiserver');
/** Runs Deployments, Jobs, autoscalers and disruption budgets. */
export const KUBE_CONTROLLER_MANAGER = kubernetesProgram('kube-controller-manager');
export const KUBE_SCHEDULER = kubernetesProgram('kube-scheduler');

/** The release of this system may have one that is too old for Kubernetes. */
export const ETCD: DebianPrograms = { package: 'etcd-server', release: 'trixie', programs: ['usr/bin/etcd'] };

/** Stands in for nodes: pods that are bound to one become ready, and leave, without containers. */
export const KWOK: GoTool = { name: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok', module: 'sigs.k8s.io/kwok', version: 'v0.8.0' };

const KEDA = {
  module: 'github.com/kedacore/keda/v2',
  version: 'v2.21.0',
  cgo: false,
  // As in KEDA's own go.mod.
  modules: [
    'replace github.com/nexus-rpc/nexus-proto-annotations v0.1.0 => github.com/nexus-rpc/nexus-proto-annotations v0.1.1-0.20260629224316-835bd8d49cb4',
  ],
} as const;
/** KEDA's scaler for Prometheus, without the rest of KEDA. Its package holds all other scalers: a quarter of an hour of processor time. */
export const KEDA_SCALER: GoTool = {
  ...KEDA,
  name: 'keda-scaler',
  source: fileURLToPath(new URL('keda-scaler/main.go', import.meta.url)),
  package: '.',
};
/** Makes autoscalers of ScaledObjects, and asks for their metrics. */
export const KEDA_OPERATOR: GoTool = { ...KEDA, name: 'keda-operator', package: `${KEDA.module}/cmd/operator` };
/** Hands what the operator read on to autoscalers, as an API of the cluster. */
export const KEDA_ADAPTER: GoTool = { ...KEDA, name: 'keda-adapter', package: `${KEDA.module}/cmd/adapter` };

async function build(tool: GoTool, binary: string): Promise<void> {
  mkdirSync(TOOL_CACHE, { recursive: true });
  const draft = mkdtempSync(join(TOOL_CACHE, 'draft-'));
  try {
    if (tool.source !== undefined) copyFileSync(tool.source, join(draft, 'main.go'));
    const own = tool.source === undefined ? [`tool ${tool.package}`] : [];
    const lines = ['module tools', 'go 1.26', ...own, `require ${tool.module} ${tool.version}`, ...(tool.modules ?? [])];
    writeFileSync(join(draft, 'go.mod'), lines.join('\n'));
    const options = {
      cwd: draft,
      timeout: BUILD_WITHIN_MS,
      maxBuffer: 2 ** 24,
      env: { ...process.env, GOFLAGS: '-mod=mod', ...(tool.cgo === false && { CGO_ENABLED: '0' }) },
    };
    await run('nice', ['go', 'mod', 'tidy'], options);
    const flags = Object.entries(tool.values ?? {}).map(([name, value]) => `-X ${name}=${value}`);
    await run(
      'nice',
      ['go', 'build', '-p', '1', '-trimpath', '-ldflags', ['-s -w', ...flags].join(' '), '-o', 'built', tool.package],
      options,
    );
    renameSync(join(draft, 'built'), binary);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Finds a tool: named by `<NAME>_BIN`, built before, or built now with Go. @returns why there is none, as text after `skip:`.
 * @throws Error where Go cannot build it
 */
export async function goTool(tool: GoTool): Promise<string> {
  const given = process.env[`${tool.name.toUpperCase().replaceAll('-', '_')}_BIN`];
  if (given !== undefined) return given;
  const binary = join(TOOL_CACHE, `${tool.name}-${tool.version}`);
  if (existsSync(binary)) return binary;
  if (!hasProgram('go')) return `skip:${tool.name} ${tool.version} is not here, and Go, which would build it, is not either.`;
  await build(tool, binary);
  return binary;
}

/** Brings a module of the Go module proxy, for files that are no program. @returns its folder */
export async function goModule(module: string): Promise<string> {
  mkdirSync(TOOL_CACHE, { recursive: true });
  const draft = mkdtempSync(join(TOOL_CACHE, 'draft-'));
  try {
    writeFileSync(join(draft, 'go.mod'), 'module files\n');
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: draft, timeout: BUILD_WITHIN_MS });
    return (JSON.parse(stdout) as { Dir: string }).Dir;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const VALIDATOR = 'kubernetes-validate==1.37.0';

/** Finds the PyPI tool that knows Kubernetes' schemas, or installs it. @returns its path, or why there is none after `skip:` */
export async function schemaValidator(): Promise<string> {
  const given = process.env['KUBERNETES_VALIDATE_BIN'];
  if (given !== undefined) return given;
  const folder = join(TOOL_CACHE, VALIDATOR.replace('==', '-'));
  const binary = join(folder, 'bin/kubernetes-validate');
  if (existsSync(binary)) return binary;
  if (!hasProgram('python3')) return 'skip:python3, which checks against schemas of Kubernetes, is not here.';
  mkdirSync(TOOL_CACHE, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', VALIDATOR], { timeout: BUILD_WITHIN_MS });
  return binary;
}
