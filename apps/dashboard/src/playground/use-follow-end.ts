import { type RefObject, useEffect, useRef } from 'react';

/** An end that is so little out of sight counts as seen, in pixels. */
const NEAR = 120;

/**
 * Keeps the end of something that grows in sight, for who was there.
 * @param grown changes with the content
 * @returns for an element behind its end; its scroll margin is what must stay free below
 */
export function useFollowEnd(grown: readonly unknown[]): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const isThere = useRef(true);
  useEffect(() => {
    const look = (): void => {
      isThere.current = (end.current?.getBoundingClientRect().top ?? 0) < window.innerHeight + NEAR;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (isThere.current) end.current?.scrollIntoView({ block: 'nearest' });
  }, grown);
  return end;
}
