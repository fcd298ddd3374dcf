import { useVirtualizer } from '@tanstack/react-virtual';
import { type ComponentType, type JSX, memo, type RefObject, useEffect, useRef } from 'react';
import { CARD_PX, HEAD_PX, VIRTUAL_FROM } from './layout.js';
import { Card } from './card.js';
import { Row, type RowLook, type RowProps } from './row.js';

/** A row of the model: what was given, and whether it is selected. */
export interface BodyRow<T> {
  readonly id: string;
  readonly original: T;
  readonly getIsSelected: () => boolean;
  readonly getToggleSelectedHandler: () => (event: unknown) => void;
}

export interface BodyProps<T> {
  readonly rows: readonly BodyRow<T>[];
  /** Place of the first one in the whole table. */
  readonly start: number;
  readonly look: RowLook<T>;
  readonly isNarrow: boolean;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** The row that gets the focus; a new object moves it again. */
  readonly move: { readonly index: number } | null;
}

interface LineProps<T> extends Omit<RowProps<T>, 'onSelect' | 'row' | 'style'> {
  readonly model: BodyRow<T>;
  readonly top: number | undefined;
  readonly isNarrow: boolean;
}

/** Drawn again only when something of it changes: others scroll and are selected meanwhile. */
const Line = memo(function Line<T>({ model, top, isNarrow, ...rest }: LineProps<T>): JSX.Element {
  const Drawn: ComponentType<RowProps<T>> = isNarrow ? Card : Row;
  return (
    <Drawn
      {...rest}
      row={model.original}
      onSelect={model.getToggleSelectedHandler()}
      {...(top !== undefined && { style: { position: 'absolute', insetInline: 0, transform: `translateY(${top}px)` } })}
    />
  );
}) as <T>(props: LineProps<T>) => JSX.Element;

/** The rows of a page. Of many only those that are seen are in the page. */
export function Body<T>(props: BodyProps<T>): JSX.Element {
  return props.rows.length > VIRTUAL_FROM && !props.isNarrow ? <VirtualBody {...props} /> : <WholeBody {...props} />;
}

/** Gives the focus to a row once it is drawn. */
function useMove({ move, scroller }: Pick<BodyProps<never>, 'move' | 'scroller'>): void {
  const done = useRef(move);
  useEffect(() => {
    if (move === null || done.current === move) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${move.index}"]`);
    if (!row) return;
    done.current = move;
    (row.querySelector<HTMLElement>('[data-opener]') ?? row).focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  });
}

function WholeBody<T>({ rows, start, look, isNarrow, scroller, move }: BodyProps<T>): JSX.Element {
  useMove({ move, scroller });
  return (
    <tbody role="rowgroup" className="block">
      {rows.map((model, index) => (
        <Line
          key={model.id}
          {...{ model, look, index, isNarrow }}
          ariaIndex={start + index + 2}
          isSelected={model.getIsSelected()}
          top={undefined}
        />
      ))}
    </tbody>
  );
}

function VirtualBody<T>({ rows, start, look, isNarrow, scroller, move }: BodyProps<T>): JSX.Element {
  const height = isNarrow ? CARD_PX : look.height;
  // It answers otherwise after every scroll, which only a compiler of components would miss; there is none here.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 10,
    scrollMargin: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  });
  useEffect(() => {
    virtual.measure();
  }, [virtual, height]);
  useEffect(() => {
    if (move) virtual.scrollToIndex(move.index, { align: 'auto' });
  }, [virtual, move]);
  useMove({ move, scroller });
  return (
    <tbody role="rowgroup" className="relative block" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, start: top }) => {
        const model = rows[index];
        return (
          model && (
            <Line
              key={model.id}
              {...{ model, look, index, isNarrow }}
              ariaIndex={start + index + 2}
              isSelected={model.getIsSelected()}
              top={top - HEAD_PX}
            />
          )
        );
      })}
    </tbody>
  );
}
