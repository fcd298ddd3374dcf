import { describe, expect, it } from 'vitest';
import { pickLines } from './log-lines.js';

const line = (at: number, text: string): { at: number; rev: number; text: string } => ({ at, rev: 1, text });
const LINES = [line(1_000, 'a'), line(1_000, 'b'), line(1_000, 'c'), line(2_000, 'd'), line(3_000, 'Error e')];
const textsOf = ({ picked }: ReturnType<typeof pickLines>): string => picked.map(({ text }) => text).join(' ');

describe('lines of a log', () => {
  it('are the newest ones, oldest first', () => {
    expect(textsOf(pickLines(LINES, { limit: 2 }))).toBe('d Error e');
  });

  it('are paged without gaps, also within one millisecond', () => {
    const first = pickLines(LINES, { since: '1970-01-01T00:00:00Z', limit: 2 });
    const second = pickLines(LINES, { cursor: first.cursor, limit: 2 });
    const third = pickLines(LINES, { cursor: second.cursor, limit: 2 });
    expect([first, second, third].map(textsOf)).toEqual(['a b', 'c d', 'Error e']);
  });

  it('that are written later follow the cursor', () => {
    const { cursor } = pickLines(LINES, {});
    expect(textsOf(pickLines(LINES, { cursor }))).toBe('');
    expect(textsOf(pickLines([...LINES, line(3_000, 'f'), line(4_000, 'g')], { cursor }))).toBe('f g');
  });

  it('are searched case-insensitively up to the cursor', () => {
    const found = pickLines(LINES, { contains: 'ERROR' });
    expect(textsOf(found)).toBe('Error e');
    expect(textsOf(pickLines(LINES, { cursor: pickLines(LINES, { contains: 'zzz' }).cursor }))).toBe('');
  });

  it('begin at a given time', () => {
    expect(textsOf(pickLines(LINES, { since: '1970-01-01T00:00:02Z' }))).toBe('d Error e');
  });

  it.each(['nonsense', 'MQ', Buffer.from('1:2:3').toString('base64url')])('are not read from the cursor %j', (cursor) => {
    expect(() => pickLines(LINES, { cursor })).toThrow('This cursor is not valid');
  });
});
