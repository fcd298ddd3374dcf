import { type JSX, useState } from 'react';
import { type TimeZone, useTimeZone } from '../format/time-zone.js';
import { boundsOf, faultOfRange, RANGE_PRESETS, type RangeState } from '../url-state/range-search.js';
import type { UrlState } from '../url-state/use-url-state.js';
import { Button } from './button.js';
import { TextField } from './field.js';
import { Icon } from './icon.js';
import { OVERLAY_HEADING, OVERLAY_ITEM } from './overlay.js';
import { Popover } from './popover.js';
import { fromField, PRESET_WORDS, rangeText, rangeWords, toField, wholeMinute } from './range-words.js';
import { Switch } from './toggles.js';
import { useNow } from './use-now.js';

export interface RangePickerProps {
  readonly state: UrlState<RangeState>;
  /** The screen can show the period before beside. */
  readonly canCompare?: boolean;
  /** The screen can ask for new figures by itself. */
  readonly canBeLive?: boolean;
}

/** Which time a screen shows: up to now, or between two moments. */
export function RangePicker({ state: [state, set], canCompare = false, canBeLive = false }: RangePickerProps): JSX.Element {
  const zone = useTimeZone();
  const [open, setOpen] = useState(false);
  const isCustom = state.from !== null;
  const choose = (patch: Partial<RangeState>): void => {
    set(patch, { push: true });
    setOpen(false);
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Popover
        label="Time range"
        open={open}
        onOpenChange={setOpen}
        className="grid w-88 gap-1 p-1"
        trigger={
          <Button icon="calendar" aria-label={`Time range: ${rangeWords(state, zone)}`}>
            {rangeWords(state, zone)}
            <Icon name="down" className="size-3.5 text-muted" />
          </Button>
        }
      >
        <Presets chosen={isCustom ? null : state.range} onChoose={(range) => choose({ range, from: null, to: null })} />
        <CustomRange state={state} zone={zone} onChoose={(from, to) => choose({ from, to })} />
      </Popover>
      {canCompare && <Switch label="Compare with the period before" checked={state.compare} onChange={(compare) => set({ compare })} />}
      {canBeLive && <Switch label="Live" checked={state.live} disabled={isCustom} onChange={(live) => set({ live })} />}
    </div>
  );
}

interface PresetsProps {
  readonly chosen: RangeState['range'] | null;
  readonly onChoose: (range: RangeState['range']) => void;
}

function Presets({ chosen, onChoose }: PresetsProps): JSX.Element {
  return (
    <div role="group" aria-label="Presets" className="grid grid-cols-2">
      {RANGE_PRESETS.map((preset) => (
        <button
          key={preset}
          type="button"
          aria-pressed={preset === chosen}
          onClick={() => onChoose(preset)}
          className={`${OVERLAY_ITEM} hover:bg-sunken focus-visible:bg-sunken`}
        >
          {PRESET_WORDS[preset]}
          {preset === chosen && <Icon name="check" className="ml-auto size-4 text-accent" />}
        </button>
      ))}
    </div>
  );
}

interface CustomRangeProps {
  readonly state: RangeState;
  readonly zone: TimeZone;
  readonly onChoose: (from: number, to: number) => void;
}

const OTHER = { local: 'utc', utc: 'local' } as const;
const ZONE_WORDS = { local: 'Local time', utc: 'UTC' } as const;

function CustomRange({ state, zone, onChoose }: CustomRangeProps): JSX.Element {
  const now = useNow();
  const [start, setStart] = useState(() => toField(wholeMinute(boundsOf(state, now).from), zone));
  const [end, setEnd] = useState(() => toField(wholeMinute(boundsOf(state, now).to), zone));
  const [from, to] = [fromField(start, zone), fromField(end, zone)];
  const fault = faultOfRange(from, to);
  return (
    <form
      className="grid gap-3 border-t border-line p-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === null) onChoose(from, to);
      }}
    >
      <span className={OVERLAY_HEADING.replace('px-2', '')}>Custom range, {ZONE_WORDS[zone]}</span>
      <div className="grid grid-cols-2 gap-2">
        <TextField label="Start" type="datetime-local" value={start} onChange={({ target }) => setStart(target.value)} />
        <TextField label="End" type="datetime-local" value={end} onChange={({ target }) => setEnd(target.value)} />
      </div>
      <p role={fault === null ? undefined : 'alert'} className={`text-xs tabular-nums ${fault === null ? 'text-muted' : 'text-bad'}`}>
        {fault ?? `${ZONE_WORDS[OTHER[zone]]}: ${rangeText(from, to, OTHER[zone])}`}
      </p>
      <Button type="submit" disabled={fault !== null}>
        Apply
      </Button>
    </form>
  );
}
