import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compile } from './checker.js';
import { type FaultNote, noted } from './faults.js';

const found = (schema: z.ZodType, value: unknown): object | null => {
  const fault = compile(schema)(value);
  return fault && { code: fault.code, at: fault.path.toReversed(), expected: fault.says ?? fault.expected };
};

describe('a check compiled from a schema', () => {
  it.each<[z.ZodType, unknown, string, string | null]>([
    [z.number().min(0).max(2), 3, 'invalid_value', 'a number from 0 to 2'],
    [z.number().min(0).max(2), -1, 'integer_below_min_value', 'a number from 0 to 2'],
    [z.number().gt(0).max(10), -0.5, 'invalid_value', 'a number above 0 and of at most 10'],
    [z.int().min(1), 1.5, 'invalid_type', 'an integer of at least 1'],
    [z.int().min(1), 1e20, 'invalid_value', 'an integer of at least 1'],
    [z.string().min(1).max(5), '', 'missing_required_parameter', 'a string of 1 to 5 characters'],
    [z.string().max(5), 'x'.repeat(6), 'invalid_value', 'a string of at most 5 characters'],
    [z.array(z.string()).min(1).max(2), [], 'empty_array', 'an array of 1 to 2 strings'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'array_above_max_length', 'an array of at most 2 strings'],
    [z.enum(['a', 'b', 'c']), 'd', 'invalid_value', 'a, b or c'],
    [z.union([z.string(), z.array(z.string())]), 5, 'invalid_type', 'a string or an array of strings'],
    [z.boolean(), null, 'missing_required_parameter', null],
    [
      z.string().refine((text) => text !== 'x', { error: 'may not be x', params: { code: 'unsupported_value' } }),
      'x',
      'unsupported_value',
      'may not be x',
    ],
  ])('names range and code: %#', (schema, value, code, expected) => {
    expect(found(schema, value)).toEqual({ code, at: [], expected });
  });

  it('reports the first fault in schema order', () => {
    const schema = z.object({ a: z.string(), list: z.array(z.object({ b: z.boolean().nullish() })), c: z.number().nullish() });
    expect(found(schema, { c: 'x', list: [{}, { b: null }, { b: 1 }], a: 'x' })).toMatchObject({ at: ['list', 2, 'b'] });
    expect(found(schema, { c: 'x', list: [1], a: null })).toMatchObject({ at: ['a'], code: 'missing_required_parameter' });
    expect(found(schema, { c: null, list: [], a: '', more: 1 })).toBeNull();
  });

  it('chooses the option of a union by its discriminator', () => {
    const schema = z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.enum(['x', 'y']) }),
    ]);
    expect(found(schema, { type: 'text', text: 5 })).toMatchObject({ at: ['text'], code: 'invalid_type' });
    expect(found(schema, { type: 'constructor' })).toEqual({ at: ['type'], code: 'invalid_value', expected: 'text, x or y' });
    expect(found(schema, { type: 'y' })).toBeNull();
  });

  it.each<[FaultNote, unknown, object]>([
    [{ code: 'unsupported_value', says: 'No.' }, [1], { at: [0], expected: 'a string' }],
    [{ whole: true, code: 'unsupported_value', says: 'No.' }, [1], { at: [], code: 'unsupported_value', expected: 'No.' }],
    [{ whole: true, expected: 'texts' }, [1], { at: [], code: 'invalid_type', expected: 'texts' }],
    [{ absent: 'undefined' }, null, { code: 'invalid_type' }],
    [{ absent: 'never' }, undefined, { code: 'invalid_type' }],
    [{ absentMember: 'name' }, undefined, { at: ['name'], code: 'missing_required_parameter' }],
  ])('follows the note %j of a schema', (note, value, expected) => {
    expect(found(noted(z.array(z.string()), note), value)).toMatchObject(expected);
  });

  it.each([z.date(), z.string().transform(Number), z.union([z.string().max(5), z.enum(['long text'])])])(
    'rejects a schema it does not know: %#',
    (schema) => {
      expect(() => compile(schema)).toThrow(TypeError);
    },
  );
});
