import { ERRORS, INFERENCE_ERRORS, type ErrorCode, ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { messagesErrors } from './errors.js';

const TYPES: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid_request_error'],
  401: ['authentication_error'],
  403: ['permission_error'],
  404: ['not_found_error'],
  405: ['invalid_request_error'],
  408: ['timeout_error'],
  409: ['invalid_request_error'],
  413: ['request_too_large'],
  417: ['invalid_request_error'],
  429: ['rate_limit_error'],
  499: ['invalid_request_error'],
  500: ['api_error'],
  503: ['api_error'],
  504: ['timeout_error'],
  529: ['overloaded_error'],
};
const bodyOf = (error: ServiceError): unknown => JSON.parse(messagesErrors.body(error, 'req_1'));

describe('errors of the messages contract', () => {
  it.each(Object.keys(INFERENCE_ERRORS) as ErrorCode[])('%s has its status and type', (code) => {
    const error = new ServiceError(code, 'Something.');
    const status = messagesErrors.status(error);
    const { error: shown } = bodyOf(error) as { error: { type: string } };
    expect(TYPES[status]).toContain(shown.type);
    expect(status < 500 && status !== 408 && status !== 429).toBe(ERRORS[code].retry === 'never');
  });

  it('of the control plane are internal errors', () => {
    const error = new ServiceError('slug_taken', 'x');
    expect(messagesErrors.status(error)).toBe(500);
    expect(bodyOf(error)).toMatchObject({ error: { type: 'api_error', details: { error_code: 'internal' } } });
  });

  it('have type, message, own code and request id', () => {
    expect(messagesErrors.body(new ServiceError('deployment_stopped', 'Stopped.'), 'req_1')).toBe(
      '{"type":"error","error":{"type":"invalid_request_error","message":"Stopped.","details":{"error_code":"deployment_stopped"}},"request_id":"req_1"}',
    );
  });

  it.each<[ErrorCode, number]>([
    ['deployment_stopped', 409],
    ['deployment_unavailable', 529],
    ['overloaded', 529],
    ['worker_lost', 500],
    ['request_too_large', 413],
  ])('answer %s with status %i', (code, status) => {
    expect(messagesErrors.status(new ServiceError(code, 'x'))).toBe(status);
  });

  it('word long prompts as clients parse them', () => {
    const error = new ServiceError('context_length_exceeded', 'Too long.', { facts: { tokens: 150, context: 100 } });
    expect(bodyOf(error)).toMatchObject({ error: { message: 'prompt is too long: 150 tokens > 100 maximum' } });
    const guess = new ServiceError('context_length_exceeded', 'Too long.', { facts: { tokens: 150, context: 100, estimated: 1 } });
    expect(bodyOf(guess)).toMatchObject({ error: { message: 'prompt is too long: 150 tokens > 100 maximum (estimated)' } });
    expect(bodyOf(new ServiceError('context_length_exceeded', 'Too long.'))).toMatchObject({
      error: { message: 'prompt is too long: Too long.' },
    });
  });

  it.each([
    ['response_format', 'output_config.format: No.'],
    ['tools[1].function.parameters', 'tools: No.'],
    ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use: No.'],
    ['max_completion_tokens', 'max_tokens: No.'],
    ['top_k', 'top_k: No.'],
    ['messages[3].content[0].image_url', 'messages: No.'],
  ])('rename engine field %s to the contract’s', (param, message) => {
    expect(bodyOf(new ServiceError('unsupported_value', 'No.', { param }))).toMatchObject({ error: { message } });
  });

  it('show the contract’s code in place of ours', () => {
    const error = new ServiceError('unsupported_parameter', 'No.', { facts: { error_code: 'thread_unsupported_request' } });
    expect(bodyOf(error)).toMatchObject({ error: { details: { error_code: 'thread_unsupported_request' } } });
  });
});
