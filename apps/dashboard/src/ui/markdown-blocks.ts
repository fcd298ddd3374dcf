import { Lexer, type Token, type Tokens } from 'marked';

/** A block of a Markdown text: a paragraph, a list, a table, a piece of code. */
export interface Block {
  /** Where it begins in the text, in characters; it never moves while the text grows. */
  readonly at: number;
  readonly token: Token;
}

export interface MarkdownBlocks {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Up to where blocks stay as they are, whatever follows. */
  readonly settled: number;
}

export const NO_BLOCKS: MarkdownBlocks = { text: '', blocks: [], settled: 0 };

/** What is read at once, in characters: reading a block that never ends would take ever longer. */
const PIECE = 32 * 1024;
/** Longer runs of text are shown as they are: emphasis in them would take time by the square of their length. */
const INLINE_MAX = 4_000;
/** Quotes and lists nested so deep that nobody meant them; reading them would take time by the square of their depth. */
const TOO_DEEP = /^(?: {0,3}(?:>|[-*+] |\d{1,9}[.)] )){32}/m;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

const plain = (raw: string): Tokens.Paragraph => ({
  type: 'paragraph',
  raw,
  text: raw,
  tokens: [{ type: 'text', raw, text: raw }],
});

/** The blocks of a text, with bold, links and code in them. What cannot be read is one plain paragraph. */
function lex(text: string): readonly Token[] {
  if (TOO_DEEP.test(text)) return [plain(text)];
  const lexer = new Lexer({ gfm: true, breaks: false });
  try {
    const tokens = lexer.blockTokens(text, lexer.tokens);
    for (const { src, tokens: inner } of lexer.inlineQueue) {
      if (src.length <= INLINE_MAX) lexer.inlineTokens(src, inner);
      else inner.push({ type: 'text', raw: src, text: src });
    }
    return tokens;
  } catch {
    // Deeper than the stack in a way that was not foreseen.
    return [plain(text)];
  }
}

/** The next piece to read: whole lines, and code to the end of its fence. */
function pieceAt(text: string, from: number): string {
  const rest = text.length - from;
  if (rest <= PIECE) return text.slice(from);
  const end = text.lastIndexOf('\n', from + PIECE);
  const piece = text.slice(from, end <= from ? from + PIECE : end + 1);
  const fence = FENCE.exec(piece)?.[1];
  if (fence === undefined) return piece;
  const close = text.indexOf(`\n${fence}`, from + fence.length);
  return close < 0 ? text.slice(from) : text.slice(from, Math.max(close + fence.length + 1, from + piece.length));
}

function placed(tokens: readonly Token[], from: number): readonly Block[] {
  let at = from;
  return tokens.map((token) => {
    const block = { at, token };
    at += token.raw.length;
    return block;
  });
}

/** How many of the tokens stay as they are when more text follows: all before the last one that is not empty space. */
function settledCount(tokens: readonly Token[]): number {
  const last = tokens.findLastIndex(({ type }) => type !== 'space');
  return Math.max(0, last);
}

/**
 * The blocks of a text that grew: those of before that nothing can change any more, and the rest read anew.
 * A text that is not the old one with something behind it is read from its begin.
 */
export function readBlocks(before: MarkdownBlocks, grown: string): MarkdownBlocks {
  const text = grown.replaceAll(/\r\n?/g, '\n');
  const isGrown = text.startsWith(before.text.slice(0, before.settled));
  let settled = isGrown ? before.settled : 0;
  const blocks = isGrown ? before.blocks.filter(({ at }) => at < before.settled) : [];
  for (;;) {
    const piece = pieceAt(text, settled);
    const tokens = lex(piece);
    const isLast = settled + piece.length >= text.length;
    if (isLast) {
      const read = placed(tokens, settled);
      const next = read[settledCount(tokens)]?.at ?? settled;
      return { text, blocks: [...blocks, ...read], settled: next };
    }
    // A block that fills a whole piece is taken as it is, so that each character is read a few times at most.
    const kept = settledCount(tokens) || tokens.length;
    const read = placed(tokens.slice(0, kept), settled);
    blocks.push(...read);
    settled += read.reduce((length, { token }) => length + token.raw.length, 0);
    if (read.length === 0) return { text, blocks, settled };
  }
}
