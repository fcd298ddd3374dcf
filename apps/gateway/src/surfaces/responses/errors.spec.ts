import { INFERENCE_ERRORS, type ErrorCode, ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { chatErrors } from '../chat/errors.js';
import { responsesErrors } from './errors.js';

const bodyOf = (error: ServiceError): { error: Record<string, unknown> } =>
  JSON.parse(responsesErrors.body(error, 'req_1')) as { error: Record<string, unknown> };

describe('an error of the responses contract', () => {
  it.each((Object.keys(INFERENCE_ERRORS) as ErrorCode[]).filter((code) => code !== 'context_length_exceeded'))(
    '%s is as in chat',
    (code) => {
      const error = new ServiceError(code, 'Words.');
      expect(bodyOf(error)).toEqual(JSON.parse(chatErrors.body(error, 'req_1')));
      const isStopped = code === 'deployment_stopped';
      expect(responsesErrors.status(error)).toBe(isStopped ? 400 : chatErrors.status(error));
    },
  );

  it('of a long prompt has the wording clients parse', () => {
    const { error } = bodyOf(new ServiceError('context_length_exceeded', 'Too long.', { facts: { tokens: 5_000, context: 4_096 } }));
    expect(error).toMatchObject({
      message: "This model's maximum context length is 4096 tokens; the prompt is too long: 5000 tokens.",
      ...{ param: 'input', code: 'context_length_exceeded' },
    });
    expect(bodyOf(new ServiceError('context_length_exceeded', 'Too long.')).error['message']).toMatch(
      /prompt is too long.*maximum context length/,
    );
  });
});
