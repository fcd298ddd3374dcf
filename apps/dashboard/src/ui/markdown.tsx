import { type JSX, lazy, Suspense } from 'react';

const Answer = lazy(async () => ({ default: (await import('./markdown-answer.js')).MarkdownAnswer }));

/**
 * A text that a model wrote, as Markdown. HTML in it is shown as text, links open apart and lead to http, https and mail alone, and
 * images are links: nothing is loaded from elsewhere. It may grow while it is shown.
 */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  return (
    <Suspense fallback={<p className="wrap-anywhere whitespace-pre-wrap">{text}</p>}>
      <Answer text={text} />
    </Suspense>
  );
}
