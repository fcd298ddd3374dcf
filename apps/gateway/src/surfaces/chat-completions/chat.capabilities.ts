import type { CanonicalRequest, Capability, ErrorCode } from '@slipway/contracts';
import type { ServiceError } from '@slipway/contracts';
import { missingCapability } from '../required-capabilities.js';
import { fault } from './chat.fault.js';

interface Wording {
  readonly code: ErrorCode;
  readonly param: string;
  readonly message: string;
}

/** Fields of the contract that are not called by their capability's own word. */
const FIELD: Partial<Readonly<Record<Capability, string>>> = {
  continue_final: 'continue_final_message',
  template_args: 'chat_template_kwargs',
};

/**
 * Why a deployment cannot answer a request, by the name of the field that asks for too much; null when it can.
 * @param caps what its engine can do; none = unknown.
 * @param outputParam the field that asked for a form of the answer.
 */
export function lackOf(request: CanonicalRequest, caps: readonly string[], outputParam = 'response_format'): ServiceError | null {
  const word = missingCapability(request, caps);
  if (word === null) return null;
  const { code, param, message } = wordingOf(word, request, outputParam);
  return fault(code, param, `${message} Choose another deployment, or send the request without it.`);
}

function wordingOf(word: Capability, request: CanonicalRequest, outputParam: string): Wording {
  switch (word) {
    case 'images':
      return { code: 'unsupported_content', param: imageIn(request), message: 'The model of this deployment does not take images.' };
    case 'tools':
      return toolsWording(request);
    case 'tool_choice':
      return { code: 'unsupported_value', param: 'tool_choice', message: 'This deployment cannot force a tool to be called.' };
    case 'n':
      return { code: 'unsupported_value', param: 'n', message: 'This deployment makes one choice for each request.' };
    case 'json_object':
    case 'json_schema':
    case 'regex':
    case 'choice':
    case 'grammar':
      return { code: 'unsupported_parameter', param: outputParam, message: `This deployment cannot hold its answers to ${FORM[word]}.` };
    default: {
      const param = FIELD[word] ?? word;
      return { code: 'unsupported_parameter', param, message: `This deployment does not support '${param}'.` };
    }
  }
}

const FORM = {
  json_object: 'JSON',
  json_schema: 'a JSON schema',
  regex: 'a regular expression',
  choice: 'a list of choices',
  grammar: 'a grammar',
} as const;

/** The history may hold calls though no tools are offered any more. */
function toolsWording({ tools, messages }: CanonicalRequest): Wording {
  const message = 'The model of this deployment does not know tools.';
  if (tools) return { code: 'unsupported_parameter', param: 'tools', message };
  const at = messages.findIndex((turn) => turn.role === 'tool' || (turn.role === 'assistant' && turn.tool_calls));
  const param = messages[at]?.role === 'tool' ? `messages[${at}].role` : `messages[${at}].tool_calls`;
  return { code: 'unsupported_content', param, message };
}

/** Around images, parts stand where they stood in the request. */
function imageIn({ messages }: CanonicalRequest): string {
  const at = messages.findIndex(({ content }) => content.some(({ type }) => type === 'image'));
  const part = messages[at]?.content.findIndex(({ type }) => type === 'image') ?? 0;
  return `messages[${at}].content[${part}].image_url`;
}
