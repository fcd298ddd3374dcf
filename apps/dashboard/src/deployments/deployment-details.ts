import type { ConsoleReply } from '@slipway/contracts';

/** One deployment with all that is known of it. */
export type DeploymentDetails = ConsoleReply<'deployments/find'>;
