import type { OutputFormat } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { outputFields } from './request-body.js';
import type { UpstreamFlavour } from './flavour.js';

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } };
const regex: OutputFormat = { kind: 'regex', pattern: 'a+' };
const choice: OutputFormat = { kind: 'choice', options: ['a.b', 'say "hi"\n'] };
const grammar: OutputFormat = { kind: 'grammar', grammar: 'root ::= "a"' };

describe('outputFields', () => {
  it.each(['vllm', 'sglang', 'llama-server', 'ollama', 'other'] as const)('asks %s for JSON in the words of the contract', (flavour) => {
    expect(outputFields({ kind: 'json_object' }, flavour)).toEqual({ response_format: { type: 'json_object' } });
    expect(outputFields({ kind: 'json_schema', schema: SCHEMA, strict: true }, flavour)).toEqual({
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: SCHEMA, strict: true } },
    });
    expect(outputFields({ kind: 'json_schema', schema: SCHEMA, name: 'n' }, flavour)).toEqual({
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } },
    });
    expect(outputFields(undefined, flavour)).toEqual({});
  });

  it.each<[UpstreamFlavour, OutputFormat, Record<string, unknown>]>([
    ['vllm', regex, { structured_outputs: { regex: 'a+' } }],
    ['vllm', choice, { structured_outputs: { choice: ['a.b', 'say "hi"\n'] } }],
    ['vllm', grammar, { structured_outputs: { grammar: 'root ::= "a"' } }],
    ['sglang', regex, { regex: 'a+' }],
    ['sglang', choice, { regex: String.raw`(a\.b|say "hi"` + '\n)' }],
    ['sglang', grammar, { ebnf: 'root ::= "a"' }],
    ['llama-server', choice, { grammar: String.raw`root ::= "a.b" | "say \"hi\"\x0a"` }],
    ['llama-server', grammar, { grammar: 'root ::= "a"' }],
  ])('spells for %s what %j means', (flavour, output, expected) => {
    expect(outputFields(output, flavour)).toEqual(expected);
  });
});
