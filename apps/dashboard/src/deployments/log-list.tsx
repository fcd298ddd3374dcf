import type { LogLineLevel } from '@slipway/contracts';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Link } from '@tanstack/react-router';
import { type JSX, useEffect, useRef, useState } from 'react';
import { formatExact } from '../format/time.js';
import { useTimeZone } from '../format/time-zone.js';
import { useAccount } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { clockOf, levelOf, type LogLine, replicaOf } from './log-lines.js';

/** Height of a line that is not wrapped, in pixels. */
const LINE_PX = 24;
/** So near to its end a list is followed, in pixels. */
const NEAR_PX = 40;

const INKS: Readonly<Record<LogLineLevel, string>> = {
  ...{ debug: 'text-muted', info: 'text-muted' },
  ...{ warn: 'font-semibold text-warn', error: 'font-semibold text-bad' },
};

const GROUNDS: Readonly<Record<LogLineLevel, string>> = {
  ...{ debug: 'hover:bg-sunken', info: 'hover:bg-sunken' },
  ...{ warn: 'bg-warn-soft', error: 'bg-bad-soft' },
};

export interface LogListProps {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** Names of replicas by what lines know them by. */
  readonly names: ReadonlyMap<string, string>;
  readonly isWrapped: boolean;
  /** New lines come: the end stays in sight while somebody looks at it. */
  readonly isFollowed: boolean;
}

/** The lines of a log; only those that are seen are in the page. */
export function LogList({ lines, names, isWrapped, isFollowed }: LogListProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  // It answers otherwise after every scroll, which only a compiler of components would miss; there is none here.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  const toEnd = (): void => virtual.scrollToIndex(lines.length - 1, { align: 'end' });
  const last = lines.at(-1);
  useEffect(() => {
    if (isAtEnd) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [virtual, isAtEnd, last, lines.length]);
  useEffect(() => virtual.measure(), [virtual, isWrapped]);
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: React.UIEvent<HTMLDivElement>): void =>
    setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR_PX);
  return (
    <div className="relative">
      <div
        ref={box}
        role="log"
        aria-label="Engine log"
        aria-live="off"
        tabIndex={0}
        onScroll={onScroll}
        className="h-[max(20rem,calc(100dvh-19rem))] overflow-auto rounded-lg border border-line bg-surface py-1 font-mono text-code"
      >
        <div className={`relative ${isWrapped ? '' : 'w-max min-w-full'}`} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const line = lines[index];
            return (
              line && (
                <div
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  className={`top-0 left-0 ${isWrapped ? 'absolute w-full' : 'absolute w-max min-w-full'}`}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <Line line={line} host={names.size > 1 ? (names.get(replicaOf(line)) ?? line.host) : null} isWrapped={isWrapped} />
                </div>
              )
            );
          })}
        </div>
      </div>
      {!isAtEnd && (
        <Button icon="down" onClick={toEnd} className="absolute right-5 bottom-4 shadow-overlay">
          {isFollowed ? 'Jump to newest' : 'To the end'}
        </Button>
      )}
    </div>
  );
}

interface LineProps {
  readonly line: LogLine;
  /** Null where one replica wrote all. */
  readonly host: string | null;
  readonly isWrapped: boolean;
}

function Line({ line, host, isWrapped }: LineProps): JSX.Element {
  const zone = useTimeZone();
  const { slug: account } = useAccount();
  const level = levelOf(line);
  return (
    <div className={`flex gap-x-3 px-3 py-0.5 leading-5 max-sm:flex-wrap ${GROUNDS[level]}`}>
      <time
        dateTime={new Date(line.at).toISOString()}
        title={formatExact(new Date(line.at).toISOString(), zone)}
        className="shrink-0 text-muted tabular-nums"
      >
        {clockOf(line.at, zone)}
      </time>
      <span className={`w-10 shrink-0 ${INKS[level]}`}>{level}</span>
      {host !== null && (
        <span className="w-24 shrink-0 truncate text-muted" title={host}>
          {host}
        </span>
      )}
      <span className={`min-w-0 flex-1 max-sm:basis-full ${isWrapped ? 'wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre'}`}>
        {line.text}
        {line.request !== undefined && (
          <Link
            to="/$account/requests/$id"
            params={{ account, id: line.request }}
            className="ml-2 text-accent underline underline-offset-2"
          >
            {line.request}
          </Link>
        )}
      </span>
    </div>
  );
}
