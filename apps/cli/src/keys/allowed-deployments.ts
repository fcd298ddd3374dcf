import { type DeploymentId, deploymentSlug } from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import { UsageError } from '../cli-errors.js';
import { deploymentReference, pickDeployment } from '../deployments/deployment-name.js';
import type { Account, Session } from '../session/session.js';

const ALL = 'all';

/**
 * Reads a list of deployments, or `all`, which is null.
 * @returns what finds them in an account
 * @throws UsageError
 */
export function allowedDeployments(text: string): (session: Session, account: Account) => Promise<DeploymentId[] | null> {
  if (text === ALL) return () => Promise.resolve(null);
  const references = text.split(',').map((word) => deploymentReference(word.trim()));
  return async (session, account) => {
    const { deployments } = await allDeployments(session, account.id);
    const ids = references.map((reference) => {
      if (reference.account !== null && reference.account !== account.slug) {
        throw new UsageError(`"${reference.account}/${reference.name}" is not of account ${account.slug}, whose key this is.`);
      }
      return pickDeployment(deployments, reference, account.slug).id;
    });
    return [...new Set(ids)];
  };
}

/** A set of deployments in words. */
export const allowedText = (deployments: readonly DeploymentId[] | null | undefined): string =>
  deployments ? deployments.map(deploymentSlug).join(', ') : 'all deployments of its account';
