import { ServiceError } from '@slipway/contracts';
import type { ErrorFormat } from '../surfaces/surface.js';
import { ANSWERED_CODES } from './answered-errors.js';
import type { JsonSchema } from './description.js';
import { ref } from './schema-forms.js';

type Headers = Readonly<Record<string, object>>;

const header = (description: string, schema: JsonSchema = { type: 'string' }): object => ({ description, schema });

const ofEveryAnswer: Headers = {
  'x-request-id': header('Names this request, for support and in the logs.'),
  'request-id': header('The same.'),
};

const ofLimits = (measure: 'requests' | 'tokens'): Headers => ({
  [`x-ratelimit-limit-${measure}`]: header(`Limit of ${measure} per minute, where the key or its account has one.`, { type: 'integer' }),
  [`x-ratelimit-remaining-${measure}`]: header('What is left of it now.', { type: 'integer' }),
  [`x-ratelimit-reset-${measure}`]: header('Time until all of it is left again, such as `6m0s`.'),
});
const ofCountedAnswers: Headers = { ...ofLimits('requests'), ...ofLimits('tokens') };

const ofErrors: Headers = {
  'retry-after': header('Seconds to wait before the request is worth repeating; on 429, 503 and 529.', {
    type: 'integer',
    minimum: 1,
    maximum: 30,
  }),
  'x-should-retry': header('`false` where repeating brings the same answer.', { const: 'false' }),
};

/** Headers by their names, for the answers that point at them. */
export const HEADERS: Headers = { ...ofEveryAnswer, ...ofCountedAnswers, ...ofErrors };

const pointers = (...groups: readonly Headers[]): Headers =>
  Object.fromEntries(groups.flatMap((group) => Object.keys(group)).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of every answer. */
export const ID_HEADERS: Headers = pointers(ofEveryAnswer);
/** Headers of answers that count against limits. */
export const COUNTED_HEADERS: Headers = pointers(ofEveryAnswer, ofCountedAnswers);

/** The errors of a contract by their status, with the codes that each stands for. @param schema name of the body's schema. */
function byStatus(format: ErrorFormat, schema: string): (readonly [status: string, name: string, answer: object])[] {
  const codes = new Map<number, string[]>();
  for (const code of ANSWERED_CODES) {
    const known = format.status(new ServiceError(code, ''));
    codes.set(known, [...(codes.get(known) ?? []), code]);
  }
  const sorted = [...codes].toSorted(([a], [b]) => a - b);
  return sorted.map(([status, names]) => {
    const described = names.map((name) => `\`${name}\``).join(', ');
    return [String(status), `${schema}${status}`, errorAnswer(described, ref(schema))] as const;
  });
}

/** The errors of a contract by the names that operations point at. */
export const namedErrorAnswers = (format: ErrorFormat, schema: string): Record<string, object> =>
  Object.fromEntries(byStatus(format, schema).map(([, name, answer]) => [name, answer]));

/** What an operation says of its errors, by their status. */
export const errorPointers = (format: ErrorFormat, schema: string): Record<string, object> =>
  Object.fromEntries(byStatus(format, schema).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]));

/** @param schema of the body. */
export const errorAnswer = (description: string, schema: JsonSchema): object => ({
  description,
  headers: pointers(ofEveryAnswer, ofCountedAnswers, ofErrors),
  content: { 'application/json': { schema } },
});
