import { ERRORS, INFERENCE_ERRORS, type ErrorCode, ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { responsesErrors } from './errors.js';

const bodyOf = (error: ServiceError): { error: Record<string, unknown> } =>
  JSON.parse(responsesErrors.body(error, 'req_1')) as { error: Record<string, unknown> };

describe('an error of the responses contract', () => {
  it.each(Object.keys(INFERENCE_ERRORS) as ErrorCode[])('%s has four keys and its usual status', (code) => {
    const error = new ServiceError(code, 'Words.');
    expect(Object.keys(bodyOf(error).error)).toEqual(['message', 'type', 'param', 'code']);
    expect(bodyOf(error).error['code']).toBe(code);
    expect(responsesErrors.status(error)).toBe(code === 'deployment_stopped' ? 400 : ERRORS[code].status);
  });

  it('of a long prompt has the wording clients parse', () => {
    const { error } = bodyOf(new ServiceError('context_length_exceeded', 'Too long.', { facts: { tokens: 5_000, context: 4_096 } }));
    expect(error).toMatchObject({
      message: "This model's maximum context length is 4096 tokens; the prompt is too long: 5000 tokens.",
      ...{ param: 'input', code: 'context_length_exceeded' },
    });
    expect(bodyOf(new ServiceError('context_length_exceeded', 'Too long.')).error['message']).toMatch(
      /prompt is too long: its input tokens exceed the configured limit.*maximum context length/,
    );
  });

  it('has its own code where it needs one', () => {
    const error = new ServiceError('invalid_value', 'Words.', { param: 'input[0].id', facts: { error_code: 'item_not_found' } });
    expect(bodyOf(error).error).toMatchObject({ type: 'invalid_request_error', code: 'item_not_found', param: 'input[0].id' });
  });
});
