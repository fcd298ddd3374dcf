import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import type { RequestPolicy } from '../surface.js';
import { type ChatRequest, readChatRequest } from './request.js';

/** A deployment that can do everything. */
export const deployment = {
  facts: { id: 1, context: 4096, caps: [] as string[] },
  slug: 'deployment-1',
  alias: 'demo',
  isNamed: (model: string) => ['deployment-1', 'demo', 'acme/demo'].includes(model),
} as ResolvedDeployment;

export const user = { role: 'user', content: 'Hello' };

/** Reads a request with these fields. @throws ServiceError */
export const read = (fields: object = {}, policy: RequestPolicy = { imageHosts: [] }): ChatRequest =>
  readChatRequest({ model: 'deployment-1', messages: [user], ...fields }, deployment, policy);
