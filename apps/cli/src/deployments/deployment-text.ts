import { type DeploymentView, deploymentSlug } from '@slipway/contracts';
import { printable } from '../table.js';

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

/** A deployment for scripts: the service's view of it, and its slug. */
export const withSlug = <T extends { readonly id: DeploymentView['id'] }>(view: T): { slug: string } & T => ({
  slug: deploymentSlug(view.id),
  ...view,
});
