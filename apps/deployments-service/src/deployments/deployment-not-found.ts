import { ServiceError } from '@slipway/contracts';

/** The same answer for another account's deployment as for none, so nothing can be learned. */
export const deploymentNotFound = (): ServiceError =>
  new ServiceError('deployment_not_found', 'This account has no such deployment.', { param: 'deployment' });
