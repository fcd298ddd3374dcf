import { type JSX, useEffect, useRef, useState } from 'react';
import { NO_BLOCKS, readBlocks } from './markdown-blocks.js';
import { MarkdownView } from './markdown-view.js';

/** Least time between two drawings of a text that grows, in milliseconds; a slow drawing is followed by a longer pause. */
const PAUSE_MS = 80;
const SHARE = 3;

/** Blocks of a text, read and drawn now and then while it grows. */
export function MarkdownAnswer({ text }: { readonly text: string }): JSX.Element {
  const [{ given, read }, setShown] = useState(() => ({ given: text, read: readBlocks(NO_BLOCKS, text) }));
  const latest = useRef({ text, due: 0 });
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => {
    latest.current.text = text;
    if (timer.current !== null || text === given) return;
    timer.current = setTimeout(
      () => {
        const began = performance.now();
        timer.current = null;
        const next = latest.current.text;
        setShown((before) => ({ given: next, read: readBlocks(before.read, next) }));
        requestAnimationFrame(() => {
          latest.current.due = performance.now() + (performance.now() - began) * SHARE;
        });
      },
      Math.max(PAUSE_MS, latest.current.due - performance.now()),
    );
  }, [text, given]);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return <MarkdownView blocks={read.blocks} />;
}
