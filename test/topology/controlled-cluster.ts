import { debianPrograms, hasProgram } from '../testing/debian-programs.js';
import { ApiServer } from './api-server.js';
import { ETCD, goModule, goTool, HELM, KUBE_APISERVER, KUBE_CONTROLLER_MANAGER, KUBE_SCHEDULER, KWOK } from './cluster-tools.js';
import { startControlPlane } from './control-plane.js';
import { helm } from './rendered-chart.js';

/** The programs, in the order of their names here, or why one is missing. */
async function findPrograms(): Promise<readonly string[] | string> {
  for (const program of ['kubectl', 'go']) if (!hasProgram(program)) return `${program} is not here.`;
  const etcds = await debianPrograms(ETCD);
  if (typeof etcds === 'string') return etcds.slice(5);
  const programs = [...etcds];
  for (const tool of [HELM, KUBE_APISERVER, KUBE_CONTROLLER_MANAGER, KUBE_SCHEDULER, KWOK]) {
    const found = await goTool(tool);
    if (found.startsWith('skip:')) return found.slice(5);
    programs.push(found);
  }
  return programs;
}

/** An API server with the controllers and the scheduler of Kubernetes, three nodes, and the namespace `serving`. */
export class ControlledCluster {
  readonly server = new ApiServer();

  private constructor(private readonly binary: string) {}

  /** @returns why there is none, where a program is missing */
  static async start(): Promise<ControlledCluster | string> {
    const found = await findPrograms();
    if (typeof found === 'string') return found;
    const [etcd = '', binary = '', apiserver = '', manager = '', scheduler = '', kwok = ''] = found;
    const cluster = new ControlledCluster(binary);
    const { server } = cluster;
    await server.start({ etcd, apiserver });
    await server.kubectl(['create', 'namespace', 'serving']);
    await startControlPlane(server, { manager, scheduler, kwok, kwokModule: await goModule(`${KWOK.module}@${KWOK.version}`) });
    return cluster;
  }

  /** Runs helm there. @throws Error with what it printed */
  helm(...words: readonly string[]): Promise<string> {
    return helm(this.binary, ...words, '--kubeconfig', this.server.kubeconfig, '--namespace', 'serving');
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
