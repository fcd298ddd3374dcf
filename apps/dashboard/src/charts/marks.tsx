import type { JSX } from 'react';
import { Icon } from '../ui/icon.js';
import type { ChartData, ChartMark } from './chart-model.js';
import { axisLabel } from './ticks.js';
import { MINUTE } from './zone.js';

/** Where uPlot draws, in pixels of the chart, and the span of time that it shows. */
export interface Frame {
  readonly left: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

const LOOK =
  'grid size-5 place-items-center rounded-full border border-rim bg-raised text-muted hover:text-ink focus-visible:text-ink hover:border-edge';

function Mark({ mark, time, isRight }: { readonly mark: ChartMark; readonly time: string; readonly isRight: boolean }): JSX.Element {
  const name = `${mark.label}, ${time}`;
  const picture = <Icon name={mark.icon} className="size-3" />;
  return (
    <>
      {mark.href === undefined ? (
        <button type="button" aria-label={name} className={`peer ${LOOK}`}>
          {picture}
        </button>
      ) : (
        <a href={mark.href} aria-label={name} className={`peer ${LOOK}`}>
          {picture}
        </a>
      )}
      <span
        aria-hidden="true"
        className={`pointer-events-none absolute top-6 z-20 hidden w-max max-w-[min(14rem,40vw)] rounded-md border border-rim bg-raised px-2 py-1 text-xs shadow-overlay peer-hover:block peer-focus:block ${isRight ? 'right-0' : 'left-0'}`}
      >
        <span className="block font-medium">{mark.label}</span>
        <span className="text-muted">{time}</span>
      </span>
    </>
  );
}

/** What happened, at the top of its line: each can be focused and says what it was. */
export function Marks({ data, frame }: { readonly data: ChartData; readonly frame: Frame }): JSX.Element | null {
  const shown = (data.marks ?? []).filter(({ at }) => at >= frame.from && at <= frame.to);
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Events">
      {shown.map((mark) => {
        const left = frame.left + ((mark.at - frame.from) / (frame.to - frame.from)) * frame.width;
        const time = axisLabel({ ...data, stepMs: MINUTE }, mark.at);
        return (
          <li key={`${mark.at} ${mark.label}`} className="absolute top-0 -translate-x-1/2" style={{ left }}>
            <Mark mark={mark} time={time} isRight={left > frame.left + frame.width / 2} />
          </li>
        );
      })}
    </ul>
  );
}
