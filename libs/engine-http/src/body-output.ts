import type { OutputFormat } from '@slipway/contracts';
import type { UpstreamFlavour } from './flavour.js';

type Fields = Record<string, unknown>;

/** GBNF of one of several strings. */
const choiceGrammar = (options: readonly string[]): string => `root ::= ${options.map(gbnfString).join(' | ')}`;

function gbnfString(text: string): string {
  const escaped = text.replaceAll(/[\\"\p{Cc}]/gu, (char) => {
    if (char === '\\' || char === '"') return `\\${char}`;
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}

const choiceRegex = (options: readonly string[]): string =>
  `(${options.map((option) => option.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)).join('|')})`;

function forVllm(output: Extract<OutputFormat, { kind: 'regex' | 'choice' | 'grammar' }>): Fields {
  if (output.kind === 'regex') return { structured_outputs: { regex: output.pattern } };
  if (output.kind === 'choice') return { structured_outputs: { choice: output.options } };
  return { structured_outputs: { grammar: output.grammar } };
}

function forSglang(output: Extract<OutputFormat, { kind: 'regex' | 'choice' | 'grammar' }>): Fields {
  if (output.kind === 'regex') return { regex: output.pattern };
  if (output.kind === 'choice') return { regex: choiceRegex(output.options) };
  return { ebnf: output.grammar };
}

/**
 * The form that an answer must take, in a server's own spelling. What a flavour has no word for was refused before
 * (`assertSupported`).
 */
export function outputFields(output: OutputFormat | undefined, flavour: UpstreamFlavour): Fields {
  if (output === undefined) return {};
  if (output.kind === 'json_object') return { response_format: { type: 'json_object' } };
  if (output.kind === 'json_schema') {
    const { name = 'output', schema, strict } = output;
    return { response_format: { type: 'json_schema', json_schema: { name, schema, ...(strict !== undefined && { strict }) } } };
  }
  if (flavour === 'vllm') return forVllm(output);
  if (flavour === 'sglang') return forSglang(output);
  if (output.kind === 'choice') return { grammar: choiceGrammar(output.options) };
  return output.kind === 'grammar' ? { grammar: output.grammar } : {};
}
