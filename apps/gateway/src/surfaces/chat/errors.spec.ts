import { INFERENCE_ERRORS, type ErrorCode, ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { chatErrors } from './errors.js';

const bodyOf = (error: ServiceError): { error: Record<string, unknown> } =>
  JSON.parse(chatErrors.body(error, 'req_1')) as { error: Record<string, unknown> };

describe('a chat error', () => {
  it.each(Object.keys(INFERENCE_ERRORS) as ErrorCode[])('%s has four keys and its type', (code) => {
    const error = new ServiceError(code, 'Words.');
    expect(Object.keys(bodyOf(error).error)).toEqual(['message', 'type', 'param', 'code']);
    const status = chatErrors.status(error);
    const refusal = status === 429 ? 'requests' : 'invalid_request_error';
    expect(bodyOf(error).error).toMatchObject({ type: status < 500 ? refusal : 'server_error', code });
    expect([410, 415, 422]).not.toContain(status);
  });

  it('of the control plane is an internal error', () => {
    const error = new ServiceError('slug_taken', 'Words.');
    expect(chatErrors.status(error)).toBe(500);
    expect(bodyOf(error).error).toMatchObject({ type: 'server_error', code: 'internal' });
  });

  it.each(['missing_api_key', 'invalid_api_key'] as const)('%s begins as clients expect of a wrong key', (code) => {
    expect(bodyOf(new ServiceError(code, 'Words.')).error['message']).toBe('Incorrect API key provided. Words.');
  });

  it('of a long prompt has the wording clients parse', () => {
    const { error } = bodyOf(new ServiceError('context_length_exceeded', 'Too long.', { facts: { tokens: 5_000, context: 4_096 } }));
    expect(error['message']).toContain('maximum context length is 4096 tokens');
    expect(error['message']).toMatch(/^The prompt is too long: /);
    expect(error['message']).toContain('5000');
    expect(error['param']).toBe('messages');
    const facts = { tokens: 5_000, context: 4_096, estimated: 1 };
    expect(bodyOf(new ServiceError('context_length_exceeded', 'Too long.', { facts })).error['message']).toContain('about 5000 tokens');
    expect(bodyOf(new ServiceError('context_length_exceeded', 'Too long.')).error['message']).toMatch(
      /prompt is too long: its input tokens exceed the configured limit.*maximum context length/,
    );
  });
});
