import type { DeploymentView } from '@slipway/contracts';
import { taskOf } from '@slipway/contracts/engines';
import type { JSX } from 'react';
import { useAddresses, useCall } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { RequestCode } from '../snippets/request-code.js';
import { targetOf } from './inference-target.js';

export interface FirstRequestProps {
  readonly deployment: DeploymentView;
  /** Right after a key was made; absent = the variable that holds it. */
  readonly apiKey?: string;
}

/** A first request to a deployment of a list, in the contract of what it does. */
export function FirstRequest({ deployment, apiKey }: FirstRequestProps): JSX.Element | null {
  const { slug } = useAccount();
  const addresses = useAddresses();
  const { data } = useCall('deployments/find', { deployment: deployment.id });
  if (!addresses || !data) return null;
  return (
    <RequestCode
      target={targetOf(addresses.gateway_url, slug, deployment)}
      embeds={taskOf(data.deployment.caps) === 'embeddings'}
      {...(apiKey !== undefined && { apiKey })}
    />
  );
}
