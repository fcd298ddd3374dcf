import { expect, it } from 'vitest';
import { relaxedText, setRelaxedHeader } from './active-stream.js';

it('a header names relaxed schema parts in bounded length', () => {
  expect(relaxedText(['/properties/a/pattern', 'get_time:/not'])).toBe('/properties/a/pattern, get_time:/not');
  expect(relaxedText(['/properties/a b,größe\n\u{1f600}/not'])).toBe('/properties/a%20b%2Cgr%C3%B6%C3%9Fe%0A%F0%9F%98%80/not');
  const many = relaxedText(Array.from({ length: 200 }, (_, i) => `/properties/property${i}/pattern`));
  expect(many.length).toBeLessThan(1_020);
  expect(many).toMatch(/, \+\d+ more$/);
  expect(relaxedText([`/${'x'.repeat(2_000)}`])).toBe('+1 more');
});

it('a header is set only before headers are sent', () => {
  const headers: string[] = [];
  const setHeader = (name: string, value: string) => void headers.push(`${name}: ${value}`);
  for (const headersSent of [true, false]) setRelaxedHeader({ headersSent, setHeader } as never, ['/not']);
  expect(headers).toEqual(['x-slipway-schema-relaxed: /not']);
});
