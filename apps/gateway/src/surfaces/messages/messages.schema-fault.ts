import { type ErrorCode, ServiceError } from '@slipway/contracts';
import type { z } from 'zod';
import type { BoundParams } from '../bounded.js';
import { fault } from './messages.fault.js';

/** The fields of a body as a schema has them. @throws ServiceError naming the first that is wrong. */
export function readFields<F>(body: Record<string, unknown>, schema: z.ZodType<F>): F {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw issue ? faultOf(issue, body) : new ServiceError('invalid_value', 'The request is not valid.');
}

function faultOf(issue: z.core.$ZodIssue, body: Record<string, unknown>): ServiceError {
  const param = issue.path.map(String).join('.');
  const value = issue.path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined),
    body,
  );
  const code = codeOf(issue, value);
  if (code === 'missing_required_parameter') return fault(code, param, 'Field required');
  return fault(code, param, `${issue.message.replace(/^(?:(?:Invalid input|Too big|Too small|Invalid option): )?e/, 'E')}.`);
}

function codeOf(issue: z.core.$ZodIssue, value: unknown): ErrorCode {
  if (issue.path[0] === 'model' || value === undefined) return 'missing_required_parameter';
  if (issue.code === 'invalid_type') return 'invalid_type';
  const bound = issue.code === 'custom' ? (issue.params as Partial<BoundParams> | undefined) : undefined;
  return bound?.code ?? 'invalid_value';
}
