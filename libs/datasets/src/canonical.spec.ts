import { describe, expect, it } from 'vitest';
import { readExample } from './read-example.js';
import { chatLine, chatLines, validated } from './validated.fixture.js';

const one = async (line: string): Promise<string> => (await validated(line)).lines[0] ?? '';
const contentOf = (line: string, i = 0) => (JSON.parse(line) as { messages: { content: string }[] }).messages[i]!.content;

describe('canonical lines', () => {
  it('have their keys in one order, without spaces and defaults', async () => {
    const line = `{ "parallel_tool_calls": false, "extra": 1, "messages": [
      {"content":"s","role":"developer","name":"boss"}, {"content":"q","role":"user","weight":0},
      {"weight":0,"tool_calls":[{"function":{"arguments":"{ \\"b\\" : 1 , \\"a\\" : [ ] }","name":"f"},"type":"function","id":"c1"}],"content":null,"role":"assistant"},
      {"role":"tool","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}],"tool_call_id":"c1"},
      {"role":"assistant","reasoning":"because","content":"a"} ],
      "tools": [ {"type":"function","function":{"parameters":{"type":"object"},"name":"f"}} ] }`.replaceAll('\n', ' ');
    expect(await one(line)).toBe(
      '{"tools":[{"type":"function","function":{"parameters":{"type":"object"},"name":"f"}}],"parallel_tool_calls":false,"messages":[' +
        '{"role":"system","content":"s","name":"boss"},{"role":"user","content":"q"},' +
        '{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":{"b":1,"a":[]}}}],"weight":0},' +
        '{"role":"tool","content":"xy","tool_call_id":"c1"},{"role":"assistant","content":"a","reasoning_content":"because"}]}',
    );
  });

  it('stay as they are when they are read again', async () => {
    const files = ['{"prompt":"q","chosen":"a","rejected":"b"}', chatLine('q', 'a'), '{"instruction":"i","input":"x","output":"o"}'];
    for (const file of files) {
      const { lines } = await validated(file);
      expect((await validated(lines.join('\n'))).lines).toEqual(lines);
    }
  });

  it.each([
    '😀👩‍👩‍👧🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'a\u0000b\u0001\u007f\u0085',
    '\u202eabc\u202c\u2066x\u2069',
    '\u2028\u2029\ufeff\u00ad',
    'é e\u0301 ﬁ Å',
    '\t\r\n\\"/<>&',
    ' lead and trail \n',
    '\ufffd\uffff\u{10ffff}',
  ])('keep %j byte for byte, raw and escaped', async (text) => {
    const escaped = [...Array(text.length).keys()].map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
    const plain = await one(chatLine('q', 'a'));
    for (const line of [chatLine(text, text), plain.replace('"q"', `"${escaped}"`).replace('"a"', `"${escaped}"`)]) {
      const kept = await one(line);
      expect([contentOf(kept), contentOf(kept, 1)]).toEqual([text, text]);
      expect(Buffer.from(contentOf(kept))).toEqual(Buffer.from(text));
    }
  });

  it('keep numbers and the order of keys of arguments, as objects and as text', async () => {
    const given = '{"big":12345678901234567890,"one":1.0,"e":1E+2,"neg":-0,"z":{"2":0.1,"1":[1.50]}}';
    const tools = '"tools":[{"type":"function","function":{"name":"f","parameters":{"minimum":1.0}}}]';
    for (const form of [given, JSON.stringify(given)]) {
      const kept = await one(
        `{${tools},"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${form}}}]}]}`,
      );
      expect(kept).toContain(`"arguments":${given}`);
      expect(kept).toContain(tools);
      const { example } = readExample(kept);
      expect(example.kind === 'sft' && example.messages[1]?.calls[0]?.arguments).toBe(given);
    }
  });

  it('take a weight of 1.0 for 1', async () => {
    expect(await one('{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","weight":1.0}]}')).toBe(
      chatLine('q', 'a'),
    );
  });
});

describe('readExample', () => {
  it('reads what was written, with the same hashes', async () => {
    const { lines, prompts, hashes } = await validated(
      [...chatLines(20), '{"messages":[{"role":"assistant","content":"a"},{"role":"user","content":""}]}'].join('\n'),
    );
    const read = lines.map(readExample);
    expect(read.map(({ promptHash }) => promptHash)).toEqual(prompts);
    expect(read.map(({ hash }) => hash)).toEqual(hashes);
    expect(read[0]?.example).toMatchObject({
      kind: 'sft',
      messages: [
        { role: 'user', content: 'question 0' },
        { role: 'assistant', content: 'answer 0', learned: true },
      ],
    });
    // Without a prompt, the whole example stands for it: such examples are not all on one side.
    expect(prompts[20]).toBe(hashes[20]);
  });

  it('refuses what is not canonical without its text', () => {
    for (const line of ['', '[]', '{"secret":1}', '{"messages":"secret"}', '{"instruction":"secret","output":"x"}']) {
      expect(() => readExample(line)).toThrow(TypeError);
      expect(() => readExample(line)).not.toThrow(/secret/);
    }
  });
});
