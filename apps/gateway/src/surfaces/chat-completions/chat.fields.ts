import { type ErrorCode, ServiceError } from '@slipway/contracts';
import type { z } from 'zod';
import type { BoundParams } from '../bounded.js';
import { fault, type Fields, isAbsent, missing } from './chat.fault.js';
import { ChatFields } from './chat.schema.js';

/** Objects whose entries are named by the client: a fault in one is the object's. */
const FREE_FORM: ReadonlySet<PropertyKey | undefined> = new Set(['logit_bias', 'metadata', 'stop_token_ids']);

/** Null means absent, in every field. */
export function withoutNulls(body: Fields): Fields {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isAbsent(value)));
}

/**
 * The plain fields of a request, and what only holds between two of them.
 * @throws ServiceError naming the first that is wrong.
 */
export function readFields(body: Fields): ChatFields {
  const parsed = ChatFields.safeParse(body);
  if (!parsed.success) throw faultOf(parsed.error, body);
  const fields = parsed.data;
  if (fields.stream_options && !fields.stream) {
    throw fault('invalid_value', 'stream_options', "'stream_options' is only allowed when 'stream' is true.");
  }
  if (fields.top_logprobs !== undefined && fields.logprobs !== true) {
    throw fault('invalid_value', 'top_logprobs', "'top_logprobs' needs 'logprobs' to be true.");
  }
  const limit = fields.max_completion_tokens ?? fields.max_tokens;
  if (fields.ignore_eos && limit === undefined) {
    throw fault('invalid_value', 'ignore_eos', "'ignore_eos' needs 'max_completion_tokens': nothing else would end the answer.");
  }
  if (limit !== undefined && (fields.min_tokens ?? 0) > limit) {
    throw fault('invalid_value', 'min_tokens', "'min_tokens' is more than the request's limit of tokens.");
  }
  return fields;
}

function faultOf({ issues: [issue] }: z.ZodError, body: Fields): ServiceError {
  if (!issue) return new ServiceError('invalid_value', 'The request is not valid.');
  const param = paramOf(issue.path);
  const code = codeOf(issue, valueAt(body, issue.path));
  if (code === 'missing_required_parameter') return missing(param);
  const what = issue.message.replace(/^(Invalid input|Invalid option|Too big|Too small|Invalid string): /, '');
  return fault(code, param, `'${param}' is not valid: ${what}.`);
}

function codeOf(issue: z.core.$ZodIssue, value: unknown): ErrorCode {
  if (issue.path[0] === 'model' || value === undefined) return 'missing_required_parameter';
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      return 'invalid_type';
    case 'too_small':
      return Number.isInteger(value) ? 'integer_below_min_value' : 'invalid_value';
    case 'custom':
      return (issue.params as Partial<BoundParams> | undefined)?.code ?? 'invalid_value';
    default:
      return 'invalid_value';
  }
}

/** A path in the contract's spelling: `messages[0].role`. */
function paramOf([field, ...rest]: readonly PropertyKey[]): string {
  if (FREE_FORM.has(field)) return String(field);
  return rest.reduce<string>((name, key) => (typeof key === 'number' ? `${name}[${key}]` : `${name}.${String(key)}`), String(field));
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined),
    body,
  );
}
