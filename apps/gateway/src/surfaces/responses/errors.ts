import { type CanonicalRequest, type Capability, type ErrorCode, ERRORS, ServiceError } from '@slipway/contracts';
import { type ErrorObject, errorObject, lackOf } from '../shared/error-object.js';
import { publicCode } from '../shared/faults.js';
import type { ErrorFormat } from '../surface.js';

/** Clients repeat a 409 several times. */
const STOPPED_STATUS = 400;

/** Clients search for this text to recognise a prompt that is too long. */
function contextMessage({ message, facts }: ServiceError): string {
  const { tokens, context, estimated } = facts ?? {};
  if (tokens === undefined || context === undefined)
    return `The prompt is too long: its input tokens exceed the configured limit, this model's maximum context length. ${message}`;
  return `This model's maximum context length is ${context} tokens; the prompt is too long: ${estimated ? 'about ' : ''}${tokens} tokens.`;
}

/** The object under `error`, always with all four keys. */
export const responsesErrorObject = (error: ServiceError): ErrorObject => errorObject(error, { field: 'input', tooLong: contextMessage });

/** Errors as the responses contract writes them: in the chat contract's form. */
export const responsesErrors: ErrorFormat = {
  status: (error) => (error.code === 'deployment_stopped' ? STOPPED_STATUS : ERRORS[publicCode(error)].status),
  body: (error) => JSON.stringify({ error: responsesErrorObject(error) }),
};

/** An error with a code that only this contract has. @param param the field that is wrong */
export const ownFault = (code: ErrorCode, ownCode: string, param: string, message: string): ServiceError =>
  new ServiceError(code, message, { param, facts: { error_code: ownCode } });

/** Fields whose names differ from their capabilities. */
const FIELDS: Partial<Readonly<Record<Capability, string>>> = { template_args: 'chat_template_kwargs', logprobs: 'include' };

/** Paths in a request that depend on its conversation. */
export interface Places {
  readonly image: string | undefined;
  readonly call: string | undefined;
  /** The field that requests the output format. */
  readonly output: string;
}

/** Checks that the deployment's engine can serve the request. @throws ServiceError naming the field. */
export function checkCapabilities(request: CanonicalRequest, caps: readonly string[], { image, call, output }: Places): void {
  const lack = lackOf(request, caps, { output, image: () => image ?? 'input', call: () => call ?? 'input', fields: FIELDS });
  if (lack) throw lack;
}
