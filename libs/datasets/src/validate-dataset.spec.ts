import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { convertArray } from './bytes/convert-array.js';
import { readExample } from './read-example.js';
import { validateDataset } from './validate-dataset.js';
import { chatLine, chatLines, inChunks, validated } from './validated.fixture.js';

const OK = { state: 'ready', reason: null, detail: null } as const;

/** Refused lines among good ones. */
const withBroken = (good: number, broken: number) => [...chatLines(good), ...Array.from({ length: broken }, () => '{')].join('\n');

describe('the verdict', () => {
  it('asks before few refused examples are left out', async () => {
    const { result } = await validated(withBroken(990, 10));
    expect(result).toMatchObject({
      state: 'invalid',
      reason: 'has_rejected',
      detail: '10 of 1000 examples were refused. Leave them out, or mend the file.',
      repairs: ['leave_out_rejected'],
    });
    const { result: left } = await validated(withBroken(990, 10), { repairs: ['leave_out_rejected'] });
    expect(left).toMatchObject({ ...OK, examples: 990, rejected: 10, repairs: [] });
  });

  it.each([
    [989, 11, '11 of 1000 examples were refused; up to 1 % and 100 can be left out.'],
    [20_000, 101, '101 of 20101 examples were refused; up to 1 % and 100 can be left out.'],
    [0, 3, '3 of 3 examples were refused: nothing is left.'],
  ])('of %i good and %i broken lines is invalid, whatever is asked', async (good, broken, detail) => {
    const { result } = await validated(withBroken(good, broken), { repairs: ['leave_out_rejected'] }, 65_536);
    expect(result).toMatchObject({ state: 'invalid', reason: 'too_many_errors', detail, rejected: broken });
  });

  it('keeps the first thousand issues and counts all', async () => {
    const { result } = await validated(Array.from({ length: 1_500 }, () => '{').join('\n'));
    expect(result.issues).toHaveLength(1_000);
    expect(result.issues.at(-1)?.line).toBe(1_000);
    expect(result.totals).toEqual([{ rule: 'not_json', severity: 'error', count: 1_500 }]);
  });

  it('bounds the examples of a version', async () => {
    const { result } = await validated(chatLines(50).join('\n'), { limits: { examples: 20 } });
    expect(result).toMatchObject({ state: 'invalid', reason: 'too_many_examples', detail: 'The file holds more than 20 examples.' });
  });
});

describe('repeats', () => {
  const file = [chatLine('q', 'a'), chatLine('q', 'b'), chatLine('q', 'a'), chatLine('q', 'b'), ...chatLines(20)].join('\n');

  it('are kept, counted and named with their first line', async () => {
    const { result, warnings, hashes, prompts } = await validated(file);
    expect(result).toMatchObject({ ...OK, examples: 24, leftOut: 0, repairs: ['leave_out_duplicates'] });
    expect(result.statistics).toMatchObject({ duplicates: 2, conflicts: 1 });
    expect(result.issues.map(({ message }) => message)).toEqual([
      'Line 2 answers the prompt of line 1 differently.',
      'Line 3 repeats line 1.',
      'Line 4 repeats line 2.',
    ]);
    expect(warnings.slice(0, 5).map(Boolean)).toEqual([false, true, true, true, false]);
    expect([hashes[0] === hashes[2], hashes[0] === hashes[1], prompts[0] === prompts[1], prompts[0] === prompts[4]]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('are left out on request', async () => {
    const { result, lines, lineNumbers } = await validated(file, { repairs: ['leave_out_duplicates'] });
    expect(result).toMatchObject({ ...OK, examples: 22, leftOut: 2, repairs: [], statistics: { duplicates: 0, examples: 22 } });
    expect(lines).toHaveLength(22);
    expect(lineNumbers.slice(0, 3)).toEqual([1, 2, 5]);
  });
});

describe('repairs give files that are valid', () => {
  const array = `\n[\n  ${chatLines(30).join(' ,\n\n  ')}\n]\n`;

  it('by converting an array in the same pass, with its own lines', async () => {
    const { result, lines, lineNumbers } = await validated(array, { repairs: ['convert_array'] });
    expect(result).toMatchObject({ ...OK, examples: 30, format: 'chat' });
    expect(lines).toEqual(chatLines(30));
    expect(lineNumbers.slice(0, 3)).toEqual([3, 5, 7]);
  });

  it('by writing the array as lines', async () => {
    const parts: Buffer[] = [];
    for await (const part of convertArray(inChunks(Buffer.from(array), 7), 1024 ** 2)) parts.push(part);
    expect((await validated(Buffer.concat(parts))).result).toMatchObject({ ...OK, examples: 30 });
  });

  it('by leaving out the refused lines, which can be had', async () => {
    const { lines, rejected } = await validated([...chatLines(200), '{"a":', '[]'].join('\n'), { repairs: ['leave_out_rejected'] });
    expect((await validated(lines.join('\n'))).result).toMatchObject({ ...OK, examples: 200, rejected: 0, totals: [] });
    expect(rejected).toEqual(['{"a":', '[]']);
  });

  it('with faults inside of elements named by their line and column', async () => {
    const { result } = await validated(`[\n${chatLines(20).join(',\n')},\n{\n "messages": oops}]`, { repairs: ['convert_array'] });
    expect(result.issues[0]).toMatchObject({
      line: 23,
      message: 'Line 23 is not JSON: "o" where a value should be at column 14. Each line must be one complete object.',
    });
  });
});

describe('a file', () => {
  it('is read the same in any chunks, and compressed', async () => {
    const text = chatLines(300).join('\n');
    const whole = await validated(text, {}, 1_000_000);
    for (const chunk of [1, 61]) expect(await validated(text, {}, chunk)).toEqual(whole);
    const packed = await validated(gzipSync(text));
    expect({ ...packed, result: { ...packed.result, bytes: 0 } }).toEqual({ ...whole, result: { ...whole.result, bytes: 0 } });
    expect(packed.result.bytes).toBe(Buffer.byteLength(text));
  });

  it.each([
    ['too_large', gzipSync(Buffer.alloc(20 * 1024 ** 2, 0x20)), 'The file grows more than 200 times when it is decompressed.'],
    ['unreadable', gzipSync(chatLines(500).join('\n')).subarray(0, 900), 'The file is gzip, but it is cut or damaged. Compress it again.'],
  ])('that is %s is a result, no error', async (reason, file, detail) => {
    expect((await validated(file)).result).toMatchObject({ state: 'invalid', reason, detail });
  });

  it('that holds another gzip is not decompressed twice', async () => {
    const { result } = await validated(gzipSync(gzipSync('x'.repeat(100))));
    expect(result.issues[0]).toMatchObject({
      rule: 'not_utf8',
      message: 'Line 1 is not UTF-8: byte 0x8B at position 2. Save the file as UTF-8.',
    });
  });

  it('with one long line in the middle is read on', async () => {
    const lines = [...chatLines(150), 'x'.repeat(100_000), ...chatLines(150, 150)];
    const { result, lineNumbers } = await validated(lines.join('\n'), { limits: { lineBytes: 4_096 }, repairs: ['leave_out_rejected'] });
    expect(result).toMatchObject({ ...OK, examples: 300, issues: [{ line: 151, message: 'Line 151 is longer than 4 KiB.' }] });
    expect(lineNumbers[150]).toBe(152);
  });

  it('gives batches whose lengths add up to their bytes', async () => {
    const seen: number[] = [];
    const result = await validateDataset(
      inChunks(Buffer.from(chatLines(20_000).join('\n')), 65_536),
      {},
      {
        batch: ({ bytes, lengths, count, lines }) => {
          expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(bytes.length);
          expect([lengths.length, lines.length]).toEqual([count, count]);
          seen.push(count);
        },
      },
    );
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.reduce((sum, count) => sum + count, 0)).toBe(20_000);
    expect(result.canonicalBytes).toBe(Buffer.byteLength(chatLines(20_000).join('\n')) + 1);
  });
});

describe('a validation', () => {
  const endless = async function* () {
    for (let i = 0; ; i += 100) yield Buffer.from(`${chatLines(100, i).join('\n')}\n`);
  };

  it('ends with the reason of its signal', async () => {
    const abort = new AbortController();
    const progress: number[] = [];
    const run = validateDataset(
      endless(),
      { signal: abort.signal },
      {
        progress: ({ lines }) => {
          progress.push(lines);
          if (lines > 1_000) abort.abort(new Error('enough'));
        },
      },
    );
    await expect(run).rejects.toThrow('enough');
    expect(progress.at(-1)).toBeLessThan(2_000);
    await expect(validateDataset(endless(), { signal: AbortSignal.abort(new Error('never begun')) })).rejects.toThrow('never begun');
  });

  it('passes on errors of the source and of sinks, and waits for sinks', async () => {
    const broken = async function* () {
      yield Buffer.from(`${chatLine('q', 'a')}\n`);
      throw new Error('disk');
    };
    await expect(validateDataset(broken())).rejects.toThrow('disk');
    await expect(validateDataset(endless(), {}, { batch: () => Promise.reject(new Error('store')) })).rejects.toThrow('store');
  });

  it('gives issues while it runs', async () => {
    const seen: string[] = [];
    const atOnce: string[] = [];
    const source = async function* () {
      yield Buffer.from(`${chatLines(200).join('\n')}\n{\n`);
      atOnce.push(...seen);
      yield Buffer.from(chatLines(10, 500).join('\n'));
    };
    await validateDataset(source(), {}, { issue: ({ message }) => void seen.push(message) });
    expect(atOnce).toEqual([
      'Line 201 is not JSON: the end of the line where a name in quotes should be at column 2. Each line must be one complete object.',
    ]);
  });
});

it('counts what is in a file', async () => {
  const system = { role: 'system', content: 'Be brief.' };
  const file = [
    ...chatLines(10),
    JSON.stringify({
      messages: [
        system,
        { role: 'user', content: 'Привет' },
        { role: 'assistant', content: 'Да', weight: 0 },
        { role: 'user', content: 'и' },
        { role: 'assistant', content: 'Нет' },
      ],
    }),
    JSON.stringify({
      messages: [system, { role: 'user', content: 'x' }, { role: 'assistant', content: 'y' }],
      tools: [{ type: 'function', function: { name: 'f' } }],
    }),
  ];
  const { result } = await validated(file.join('\n'));
  expect(result.statistics).toMatchObject({
    examples: 12,
    messages: 28,
    roles: { system: 2, user: 13, assistant: 13 },
    learned_turns: 12,
    with_tools: 1,
    scripts: { Latin: 11, Cyrillic: 1 },
    lengths: { longest: 21 },
    system_prompts: { different: 1, most_frequent: 2 },
  });
  expect(result.systemPrompt).toMatchObject({ examples: 2, line: 11 });
});

it('a prompt keeps its place over five versions, in every way to write it', async () => {
  const { result } = await validated(chatLines(400).join('\n'));
  const { below } = result.split;
  const places = new Map<string, number>();
  const versions = [
    chatLines(400),
    chatLines(900).map((line) => line.replace('answer', 'another answer')),
    chatLines(300, 100).reverse(),
    chatLines(400).map((line) => line.replaceAll('"question', '"\\u0071uestion')),
    Array.from({ length: 400 }, (_, i) => JSON.stringify({ prompt: `question ${i}`, completion: 'x' })),
    [...chatLines(1_000, 200), ...chatLines(200).map((line) => line.replace('{"messages"', '{ "messages" '))],
  ];
  for (const version of versions) {
    for (const line of (await validated(version.join('\n'))).lines) {
      const { example, place } = readExample(line);
      const text = example.kind === 'sft' ? example.messages[0]!.content : '';
      expect(places.get(text) ?? place).toBe(place);
      places.set(text, place);
    }
  }
  expect(places.size).toBe(1_200);
  expect(chatLines(400).filter((_, i) => places.get(`question ${i}`)! < below)).toHaveLength(40);
});

it('text of any characters comes out as it went in', async () => {
  const odd = ['\u0000 NUL', '\u202e bidi \u2066', '👩‍👩‍👧‍👦 🏳️‍🌈', 'e\u0301 and é', '\u2028\u2029', '\u{10ffff}', '\\ud83d "\t"', 'ﷺ', '\ufeff'];
  const { result, lines } = await validated(odd.map((text, i) => chatLine(`${i} ${text}`, text)).join('\n'));
  expect([result.state, result.rejected]).toEqual(['ready', 0]);
  const texts = lines.map((line) => (JSON.parse(line) as { messages: { content: string }[] }).messages.map(({ content }) => content));
  expect(texts).toEqual(odd.map((text, i) => [`${i} ${text}`, text]));
});

it('a line with half a surrogate pair is refused, and given back byte for byte', async () => {
  const broken = '{"messages":[{"role":"user","content":"\\ud83d"},{"role":"assistant","content":"x"}]}';
  const { result, rejected } = await validated([...chatLines(200), broken].join('\n'));
  expect(result.totals).toContainEqual(expect.objectContaining({ rule: 'lone_surrogate', count: 1 }));
  expect(rejected).toEqual([broken]);
});
