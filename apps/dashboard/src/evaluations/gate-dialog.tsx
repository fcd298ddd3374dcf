import type { SuiteView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { useAdapters } from '../tuning/use-jobs.js';
import { ComboboxField } from '../ui/combobox-field.js';
import { FormDialog } from '../ui/form.js';
import { NumberField } from '../ui/number-fields.js';
import { Switch } from '../ui/toggles.js';

/** Decides which adapter must pass a suite before an alias may point at it. */
export function GateDialog({ suite, onClose }: { readonly suite: SuiteView; readonly onClose: () => void }): JSX.Element {
  const form = useForm();
  const change = useChange('suites/set-gate', ['suites/', 'adapters/']);
  const { data: adapters = [] } = useAdapters();
  const [isGate, setGate] = useState(suite.gate !== null);
  const [adapter, setAdapter] = useState<string | null>(suite.gate?.adapter ?? null);
  const [points, setPoints] = useState<number | null>(suite.gate?.points ?? 0);
  const submit = async (): Promise<void> => {
    const gate = isGate && adapter !== null ? { adapter, points: points ?? 0 } : null;
    await change.mutateAsync({ suite: suite.id, gate });
    onClose();
  };
  const names = [...new Set(adapters.map(({ name }) => name))];
  return (
    <FormDialog title={`Gate: ${suite.name}`} action="Save" disabled={isGate && adapter === null} {...{ form, submit, onClose }}>
      <Switch
        label="An adapter must pass this suite"
        hint="Every version of it, before an alias may point at it. An owner can override that with a reason."
        checked={isGate}
        onChange={setGate}
      />
      {isGate && (
        <>
          <ComboboxField label="Adapter" choices={names.map((value) => ({ value, label: value }))} value={adapter} onChange={setAdapter} />
          <NumberField
            label="Points that each grader may lose"
            hint="Percentage points against the baseline of the evaluation."
            min={0}
            max={100}
            value={points}
            onChange={setPoints}
          />
        </>
      )}
    </FormDialog>
  );
}
