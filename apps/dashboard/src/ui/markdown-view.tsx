import type { Token, Tokens } from 'marked';
import { Fragment, type JSX, memo, type ReactNode, useMemo } from 'react';
import { CodeView } from './code-view.js';
import { CopyButton } from './copy-button.js';
import type { Block } from './markdown-blocks.js';

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** An address that a link may lead to; null for scripts, data, files and everything that is no whole address. */
export function safeLink(href: string): string | null {
  try {
    const { protocol, href: whole } = new URL(href);
    return SCHEMES.has(protocol) ? whole : null;
  } catch {
    return null;
  }
}

/** Deeper nesting is shown as it was written. */
const DEPTH_MAX = 24;
/** Blocks that React compares as one. */
const GROUP = 40;

const HEADINGS: Readonly<Record<number, string>> = { 1: 'text-lg font-semibold', 2: 'text-base font-semibold', 3: 'font-semibold' };

type Depth = { readonly depth: number };

function Children({ tokens = [], depth }: Depth & { readonly tokens?: readonly Token[] | undefined }): ReactNode {
  return tokens.map((token, index) => <Piece key={index} token={token} depth={depth + 1} />);
}

/** A link that leads away and says nothing of where it was followed; what is no safe address is plain text. */
function Away({ href, children }: { readonly href: string; readonly children: ReactNode }): JSX.Element {
  const safe = safeLink(href);
  if (safe === null) return <>{children}</>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline wrap-anywhere">
      {children}
    </a>
  );
}

function Code({ text, lang = '' }: Tokens.Code): JSX.Element {
  const language = /^[\w+#-]+/.exec(lang)?.[0].toLowerCase() ?? '';
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center justify-between border-b border-line pr-1 pl-3 text-xs text-muted">
        <span className="truncate">{language || 'text'}</span>
        <CopyButton text={text} look="quiet" />
      </figcaption>
      <CodeView label={language === '' ? 'Code' : `Code in ${language}`} text={text} language={language} />
    </figure>
  );
}

function List({ token: { ordered, start, items }, depth }: Depth & { readonly token: Tokens.List }): JSX.Element {
  const content = items.map((item, index) => (
    <li key={index} className={item.task ? 'flex list-none items-baseline gap-2' : undefined}>
      {item.task && (
        <span role="img" aria-label={item.checked === true ? 'Done' : 'Open'}>
          {item.checked === true ? '☑' : '☐'}
        </span>
      )}
      <div className="grid min-w-0 gap-1">
        <Children tokens={item.tokens.filter(({ type }) => type !== 'checkbox')} depth={depth} />
      </div>
    </li>
  ));
  if (!ordered) return <ul className="grid list-disc gap-1 pl-6">{content}</ul>;
  return (
    <ol start={start === '' ? 1 : start} className="grid list-decimal gap-1 pl-6">
      {content}
    </ol>
  );
}

function TableView({ token: { header, rows, align }, depth }: Depth & { readonly token: Tokens.Table }): JSX.Element {
  const look = (column: number): string => `border-line px-3 py-1.5 ${align[column] === 'right' ? 'text-right' : 'text-left'}`;
  return (
    <div role="region" aria-label="Table" tabIndex={0} className="overflow-x-auto rounded-lg border border-line">
      <table className="w-full text-sm">
        <thead className="bg-sunken">
          <tr>
            {header.map(({ tokens }, column) => (
              <th key={column} scope="col" className={`font-medium ${look(column)}`}>
                <Children tokens={tokens} depth={depth} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map(({ tokens }, column) => (
                <td key={column} className={`border-t ${look(column)}`}>
                  <Children tokens={tokens} depth={depth} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading({ token: { depth: level, tokens }, depth }: Depth & { readonly token: Tokens.Heading }): JSX.Element {
  // No heading of the page: an answer does not change its outline.
  return (
    <p className={HEADINGS[level] ?? 'font-medium'}>
      <Children tokens={tokens} depth={depth} />
    </p>
  );
}

/** marked writes a few characters as entities in plain text. */
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const plainOf = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

type Draw = (token: Token, depth: number) => ReactNode;

/** How each kind of token is drawn; all others, HTML among them, are shown as they were written. */
const DRAWN: Readonly<Record<string, Draw>> = {
  space: () => null,
  def: () => null,
  hr: () => <hr className="border-line" />,
  br: () => <br />,
  code: (token) => <Code {...(token as Tokens.Code)} />,
  codespan: (token) => <code className="rounded-sm bg-sunken px-1 py-0.5 text-code wrap-anywhere">{(token as Tokens.Codespan).text}</code>,
  heading: (token, depth) => <Heading token={token as Tokens.Heading} depth={depth} />,
  list: (token, depth) => <List token={token as Tokens.List} depth={depth} />,
  table: (token, depth) => <TableView token={token as Tokens.Table} depth={depth} />,
  paragraph: (token, depth) => (
    <p className="wrap-anywhere whitespace-pre-wrap">
      <Children tokens={(token as Tokens.Paragraph).tokens} depth={depth} />
    </p>
  ),
  blockquote: (token, depth) => (
    <blockquote className="grid gap-2 border-l-2 border-rim pl-3 text-muted">
      <Children tokens={(token as Tokens.Blockquote).tokens} depth={depth} />
    </blockquote>
  ),
  strong: (token, depth) => (
    <strong className="font-semibold">
      <Children tokens={(token as Tokens.Strong).tokens} depth={depth} />
    </strong>
  ),
  em: (token, depth) => (
    <em>
      <Children tokens={(token as Tokens.Em).tokens} depth={depth} />
    </em>
  ),
  del: (token, depth) => (
    <del>
      <Children tokens={(token as Tokens.Del).tokens} depth={depth} />
    </del>
  ),
  link: (token, depth) => (
    <Away href={(token as Tokens.Link).href}>
      <Children tokens={(token as Tokens.Link).tokens} depth={depth} />
    </Away>
  ),
  // Loading it would tell another server who reads the answer.
  image: (token) => <Away href={(token as Tokens.Image).href}>{(token as Tokens.Image).text || 'Image'}</Away>,
  escape: (token) => (token as Tokens.Escape).text,
  text: (token, depth) => {
    const { tokens, text } = token as Tokens.Text;
    if (!tokens) return plainOf(text);
    // The text of an item of a list, which stands beside blocks.
    return (
      <span className="block wrap-anywhere">
        <Children tokens={tokens} depth={depth} />
      </span>
    );
  },
};

function Piece({ token, depth }: Depth & { readonly token: Token }): ReactNode {
  const draw = depth > DEPTH_MAX ? undefined : DRAWN[token.type];
  return draw ? draw(token, depth) : token.raw;
}

const Group = memo(
  function Group({ blocks }: { readonly blocks: readonly Block[] }): JSX.Element {
    return (
      <>
        {blocks.map(({ at, token }) => (
          <Fragment key={at}>
            <Piece token={token} depth={0} />
          </Fragment>
        ))}
      </>
    );
  },
  (a, b) => a.blocks.length === b.blocks.length && a.blocks.every(({ token }, index) => token === b.blocks[index]?.token),
);

/** Blocks of Markdown as elements. Nothing of the text becomes HTML or is fetched. */
export function MarkdownView({ blocks }: { readonly blocks: readonly Block[] }): JSX.Element {
  const groups = useMemo(
    () => Array.from({ length: Math.ceil(blocks.length / GROUP) }, (_, group) => blocks.slice(group * GROUP, (group + 1) * GROUP)),
    [blocks],
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {groups.map((own) => (
        <Group key={own[0]?.at} blocks={own} />
      ))}
    </div>
  );
}
