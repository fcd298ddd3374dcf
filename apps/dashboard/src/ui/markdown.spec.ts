import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { highlight } from './highlighter.js';
import { type MarkdownBlocks, NO_BLOCKS, readBlocks } from './markdown-blocks.js';
import { MarkdownView, safeLink } from './markdown-view.js';

const drawn = (text: string): string => renderToStaticMarkup(createElement(MarkdownView, readBlocks(NO_BLOCKS, text)));
const rawOf = ({ blocks }: MarkdownBlocks): string => blocks.map(({ token }) => token.raw).join('');
/** A text as a stream brings it. */
const grown = (text: string, step: number): MarkdownBlocks => {
  let read = NO_BLOCKS;
  for (let end = step; end < text.length + step; end += step) read = readBlocks(read, text.slice(0, end));
  return read;
};

const ANSWER = `# Title

Some **bold**, *slanted* and \`code\` with a [link](https://example.com/a?b=c&d=e).

- one
- two

  inside

1. first
2. [x] second

| a | b |
| - | -: |
| 1 | 2 |

\`\`\`python
print("<b>")
\`\`\`

> quoted

The end.`;

describe('Markdown of a model', () => {
  it('becomes elements', () => {
    const html = drawn(ANSWER);
    for (const part of ['<strong', '<em>', '<ul', '<ol', '<table', '<blockquote', 'href="https://example.com/a?b=c&amp;d=e"']) {
      expect(html).toContain(part);
    }
    expect(html).toContain('rel="noopener noreferrer nofollow"');
    expect(html).not.toMatch(/<h[1-6]/);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onclick="x()">b</b> <!-- c --> <style>*{}</style>',
    '<iframe src="https://evil.example"></iframe>\n\n<svg/onload=alert(1)>',
    '`<script>` and\n\n    <script>\n\n```html\n<script>\n```',
  ])('shows HTML as text: %s', (text) => {
    expect(drawn(text)).not.toMatch(/<(?:script|img|b|style|iframe|svg\/)\b/);
    expect(drawn(text)).toContain('&lt;');
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '/inner',
    '//host',
    'vbscript:x',
    'java&#115;cript:x',
  ])('has no link to %s', (href) => {
    expect(drawn(`[a](${href}) ![b](${href}) <${href}>`)).not.toContain('href=');
    expect(safeLink(href)).toBeNull();
  });

  it('loads no image, and leads to it instead', () => {
    const html = drawn('![a cat](https://example.com/cat.png)');
    expect(html).toContain('href="https://example.com/cat.png"');
    expect(html).toContain('>a cat<');
    expect(html).not.toContain('<img');
  });

  it.each([1, 7, 64])('is the same in pieces of %d characters as at once', (step) => {
    const read = grown(ANSWER, step);
    expect(read.blocks).toEqual(readBlocks(NO_BLOCKS, ANSWER).blocks);
    expect(rawOf(read)).toBe(ANSWER);
  });

  it('leaves blocks as they are that nothing can change any more', () => {
    const before = readBlocks(NO_BLOCKS, 'one\n\ntwo\n\nthr');
    const after = readBlocks(before, 'one\n\ntwo\n\nthree');
    expect(after.blocks[0]).toBe(before.blocks[0]);
    expect(after.blocks.at(-1)?.token.raw).toBe('three');
    expect(readBlocks(after, 'another').blocks.map(({ token }) => token.raw)).toEqual(['another']);
  });
});

const MEGABYTE = 1_000_000;
const HOSTILE: readonly (readonly [string, string])[] = [
  ['emphasis', '_a'],
  ['strong emphasis', '**a'],
  ['brackets', '['],
  ['images', '!['],
  ['quotes', '>'],
  ['tags', '<a '],
  ['backticks', '`a``'],
  ['pipes', '|'],
  ['list marks', '- '],
  ['words', 'word '],
  ['paragraphs', 'word *word* word\n\n'],
  ['code', '```\nx\n```\n'],
  ['line breaks', '\n'],
  ['null characters', '\0'],
  ['half characters', '\uD800'],
];

describe('a megabyte', () => {
  it.each(HOSTILE)(
    'of %s is read whole, each character a few times',
    (_, unit) => {
      const text = unit.repeat(MEGABYTE / unit.length);
      const read = readBlocks(NO_BLOCKS, text);
      expect(rawOf(read).length).toBe(text.length);
      // What is read anew when more comes stays a small part.
      expect(text.length - read.settled).toBeLessThanOrEqual(64 * 1024);
      expect(readBlocks(read, `${text} more`).blocks.length).toBeGreaterThan(0);
    },
    30_000,
  );

  it('of code in one fence stays one block', () => {
    const text = `\`\`\`js\n${'x = 1;\n'.repeat(MEGABYTE / 7)}`;
    expect(readBlocks(NO_BLOCKS, text).blocks).toHaveLength(1);
    expect(readBlocks(NO_BLOCKS, `${text}\`\`\`\n\nend`).blocks.at(-1)?.token.raw).toBe('end');
  });
});

describe('highlighted code', () => {
  it.each([
    ['python', 'def f(x):  # why\n    return "a" if x else 1'],
    ['bash', `curl -N "http://x/y" -H 'A: $B' # c`],
    ['typescript', 'const a: number = await f(`x ${b}`);'],
    ['json', '{"a": [1, true, "b"]}'],
  ])('in %s is the same text', (language, code) => {
    const pieces = highlight(code, language) ?? [];
    expect(pieces.map(({ text }) => text).join('')).toBe(code);
    expect(new Set(pieces.map(({ kind }) => kind)).size).toBeGreaterThan(2);
  });

  it('of an unknown language is left alone', () => {
    expect(highlight('x', 'klingon')).toBeNull();
  });
});
