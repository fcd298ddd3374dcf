import { ServiceError } from '@slipway/contracts';
import type { ErrorFormat } from '../surfaces/surface.js';
import { ANSWERED_CODES } from './answered-errors.js';
import type { JsonSchema } from './description.js';
import { ref } from './schema-forms.js';

const header = (description: string, schema: JsonSchema = { type: 'string' }): object => ({ description, schema });

/** Headers of every answer. */
export const ID_HEADERS = {
  'x-request-id': header('Names this request, for support and in the logs.'),
  'request-id': header('The same.'),
} as const;

const limitHeaders = (measure: 'requests' | 'tokens'): Record<string, object> => ({
  [`x-ratelimit-limit-${measure}`]: header(`Limit of ${measure} per minute, where the key or its account has one.`, { type: 'integer' }),
  [`x-ratelimit-remaining-${measure}`]: header('What is left of it now.', { type: 'integer' }),
  [`x-ratelimit-reset-${measure}`]: header('Time until all of it is left again, such as `6m0s`.'),
});

/** Headers of answers that count against limits. */
export const LIMIT_HEADERS: Readonly<Record<string, object>> = { ...limitHeaders('requests'), ...limitHeaders('tokens') };

const RETRY_HEADERS = {
  'retry-after': header('Seconds to wait before the request is worth repeating; on 429, 503 and 529.', {
    type: 'integer',
    minimum: 1,
    maximum: 30,
  }),
  'x-should-retry': header('`false` where repeating brings the same answer.', { const: 'false' }),
} as const;

/** The errors of a contract by their status, with the codes that each stands for. @param schema name of the body's schema. */
export function errorAnswers(format: ErrorFormat, schema: string): Record<string, object> {
  const codes = new Map<number, string[]>();
  for (const code of ANSWERED_CODES) {
    const known = format.status(new ServiceError(code, ''));
    codes.set(known, [...(codes.get(known) ?? []), code]);
  }
  const sorted = [...codes].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(
    sorted.map(([known, names]) => [String(known), errorAnswer(names.map((name) => `\`${name}\``).join(', '), ref(schema))]),
  );
}

/** @param schema of the body. */
export const errorAnswer = (description: string, schema: JsonSchema): object => ({
  description,
  headers: { ...ID_HEADERS, ...RETRY_HEADERS, ...LIMIT_HEADERS },
  content: { 'application/json': { schema } },
});
