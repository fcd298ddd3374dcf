import { type DeploymentView, deploymentSlug } from '@slipway/contracts';
import { type Cell, printable } from '../table.js';

/** The state with what explains it, in one line. */
export const stateText = ({
  state,
  progress,
  reason,
  detail,
}: Pick<DeploymentView, 'progress' | 'reason' | 'detail'> & { readonly state: string }): string =>
  [state, progress === null ? '' : `${Math.round(progress * 100)} %`, reason ?? '', detail === null ? '' : printable(detail)]
    .filter((part) => part !== '')
    .join(', ');

/** A deployment for scripts: what the service says, and its slug. */
export const withSlug = <T extends { readonly id: DeploymentView['id'] }>(view: T): { slug: string } & T => ({
  slug: deploymentSlug(view.id),
  ...view,
});

export const LIST_TITLES = ['DEPLOYMENT', 'NAME', 'ALIASES', 'REPLICAS', 'STATE'];

export const listRow = (view: DeploymentView): Cell[] => [
  deploymentSlug(view.id),
  view.name,
  view.aliases.join(' '),
  `${view.ready_replicas}/${view.replicas}`,
  stateText(view),
];
