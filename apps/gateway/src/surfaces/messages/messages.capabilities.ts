import type { CanonicalRequest, Capability } from '@slipway/contracts';
import { missingCapability } from '../required-capabilities.js';
import { fault } from './messages.fault.js';

/** Names in a request, for what only the conversation can tell. */
export interface Places {
  readonly image: string | undefined;
  readonly prefill: string | undefined;
  readonly format: string | undefined;
}

type Wording = (places: Places) => readonly [param: string, message: string];

/** What a request of this contract can need, in the contract's own names. */
const WORDINGS: Partial<Readonly<Record<Capability, Wording>>> = {
  images: ({ image }) => [image ?? 'messages', 'This model does not accept images.'],
  tools: () => ['tools', 'This model cannot call tools.'],
  tool_choice: () => ['tool_choice.type', 'This engine cannot force a call; use auto or none.'],
  json_schema: ({ format }) => [format ?? 'output_config.format', 'This engine cannot keep an answer to a JSON schema.'],
  continue_final: ({ prefill }) => [prefill ?? 'messages', 'This engine cannot continue an answer; end with a user message.'],
  top_k: () => ['top_k', 'This engine does not know it.'],
};

/** Refuses what the deployment's engine cannot do. @throws ServiceError naming the field. */
export function checkCapabilities(request: CanonicalRequest, caps: readonly string[], places: Places): void {
  const missing = missingCapability(request, caps);
  if (!missing) return;
  const [param, message] = WORDINGS[missing]?.(places) ?? ['model', `This deployment cannot do what the request needs (${missing}).`];
  throw fault(missing === 'images' ? 'unsupported_content' : 'unsupported_parameter', param, message);
}
