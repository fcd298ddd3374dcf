import { ChatTemplate } from '@slipway/model-text';
import { describe, expect, it } from 'vitest';
import { answerFormat } from './answer-format.js';

const formatOf = (source: string) => answerFormat(ChatTemplate.parse(source, { bos: '', eos: '' }));

describe('answerFormat', () => {
  it('knows a family only where tools are rendered', () => {
    expect(formatOf("{{ '<tool_call></tool_call>' }}").family).toBeNull();
    expect(formatOf('{{ tools | tojson }}').family).toBeNull();
    expect(formatOf("{{ tools | tojson }}{{ '<tool_call></tool_call>' }}").family?.name).toBe('hermes');
  });

  it('finds the marks around reasoning', () => {
    expect(formatOf("{{ '</think>' }}").reasoning).toEqual({ open: '<think>', close: '</think>' });
    expect(formatOf('{{ messages[0].content }}').reasoning).toBeNull();
  });
});
