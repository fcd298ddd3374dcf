import { DEFAULT_CONTEXT } from '@slipway/contracts/engines';
import type { JSX } from 'react';
import { NumberField, SliderField } from '../ui/number-fields.js';
import { formatCount } from '../format/number.js';
import { useBases } from '../tuning/use-bases.js';
import { goodNumber, type NumberFieldName, RANGES } from './deployment-draft.js';
import type { DraftFieldsProps } from './draft-text.js';
import { ReplicaFields } from './replica-fields.js';
import { useOptions } from './use-options.js';

/** Where the sliders end at first. */
const FIRST_MAX = { context: 32_768, slots: 32 } as const;
const CONTEXT_STEP = 256;

/** Where a slider ends: further as soon as its value comes to the end, at most at `most`. */
export function sliderMax(value: number, first: number, most: number): number {
  let end = Math.min(first, most);
  while (value >= end && end < most) end = Math.min(end * 2, most);
  return end;
}

const textOf = (value: number | null): string => (value === null ? '' : String(value));

/**
 * Context, slots and replicas of a draft, and the usual answer length.
 * @param modelContext what the model was seen to take, in tokens; null = not known
 */
export function SizeFields({ modelContext = null, ...props }: DraftFieldsProps & { readonly modelContext?: number | null }): JSX.Element {
  const { draft, faults, onChange, deployment } = props;
  const options = useOptions();
  const set = (field: NumberFieldName) => (value: number | null) => onChange({ [field]: textOf(value) });
  const slots = options?.defaults.slots[draft.kind];
  return (
    <>
      {draft.kind === 'http' ? (
        <EngineSize {...{ draft, faults, onChange }} />
      ) : (
        <ModelSize {...{ draft, faults, onChange, modelContext }} />
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        {deployment === undefined && (
          <ReplicaFields
            {...props}
            hint="Number of workers that serve it."
            placeholder={placeholder(options?.defaults.replicas[draft.kind])}
          />
        )}
        {draft.kind === 'http' && (
          <NumberField
            label="Slots"
            hint="Requests that one replica serves at once."
            {...limitsOf('slots', options?.max.slots)}
            placeholder={placeholder(slots)}
            value={goodNumber(draft, 'slots')}
            fault={faults.slots}
            onChange={set('slots')}
          />
        )}
        <NumberField
          label="Default max tokens"
          hint="Tokens, for requests that set none."
          {...RANGES.defaultMaxTokens}
          placeholder="Model’s default"
          value={goodNumber(draft, 'defaultMaxTokens')}
          fault={faults.defaultMaxTokens}
          onChange={set('defaultMaxTokens')}
        />
      </div>
    </>
  );
}

const placeholder = (value: number | undefined): string => (value === undefined ? 'Default' : `Default: ${value}`);

const limitsOf = (field: NumberFieldName, max: number | undefined): { readonly min: number; readonly max: number } => ({
  min: RANGES[field].min,
  max: Math.min(max ?? RANGES[field].max, RANGES[field].max),
});

type SizeProps = Pick<DraftFieldsProps, 'draft' | 'faults' | 'onChange'>;

/** Tokens that a model was made for, as training workers or replicas know it; infinite where none does. */
function useModelContext(path: string, seen: number | null): number {
  const base = useBases().data?.bases.find((one) => one.path === path.trim());
  return base?.context ?? seen ?? Infinity;
}

/** Memory grows by context times slots: both are dragged beside the bars that show it. */
function ModelSize({ draft, faults, onChange, modelContext }: SizeProps & { readonly modelContext: number | null }): JSX.Element {
  const options = useOptions();
  const own = useModelContext(draft.path, modelContext);
  const context = Math.min(goodNumber(draft, 'context') ?? DEFAULT_CONTEXT, own);
  const slots = goodNumber(draft, 'slots') ?? options?.defaults.slots[draft.kind] ?? 4;
  const most = {
    context: Math.min(limitsOf('context', options?.max.context).max, own),
    slots: limitsOf('slots', options?.max.slots).max,
  };
  return (
    <>
      <SliderField
        label="Context length"
        hint={`Tokens of prompt and answer together, at most ${own === Infinity ? 'what' : `the ${formatCount(own)} that`} the model was trained for.`}
        min={Math.min(CONTEXT_STEP, most.context)}
        max={sliderMax(context, FIRST_MAX.context, most.context)}
        step={CONTEXT_STEP}
        value={context}
        fault={faults.context}
        onChange={(value) => onChange({ context: String(value) })}
      />
      <SliderField
        label="Slots"
        hint="Requests that one replica serves at once. Each slot holds a whole context in memory."
        min={1}
        max={sliderMax(slots, FIRST_MAX.slots, most.slots)}
        value={slots}
        fault={faults.slots}
        onChange={(value) => onChange({ slots: String(value) })}
      />
    </>
  );
}

function EngineSize({ draft, faults, onChange }: SizeProps): JSX.Element {
  return (
    <NumberField
      label="Context length"
      hint="Longer requests are refused before they reach the engine."
      {...RANGES.context}
      placeholder="As the engine reports"
      unit="tokens"
      value={goodNumber(draft, 'context')}
      fault={faults.context}
      onChange={(value) => onChange({ context: textOf(value) })}
    />
  );
}
