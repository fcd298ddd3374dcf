import type { JobView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { FormDialog } from '../ui/form.js';
import { RadioCards } from '../ui/radio-cards.js';

/** Ends a job. What was learned so far is kept as an adapter, or dropped. */
export function CancelJobDialog({ job, onClose }: { readonly job: JobView; readonly onClose: () => void }): JSX.Element {
  const form = useForm();
  const cancel = useChange('jobs/cancel', ['jobs/', 'adapters/']);
  const nothing = job.step === 0 ? 'Nothing was learned yet.' : undefined;
  const [kept, setKept] = useState<'keep' | 'drop'>(nothing === undefined ? 'keep' : 'drop');
  const submit = async (): Promise<void> => {
    await cancel.mutateAsync({ job: job.id, keep: kept === 'keep' });
    onClose();
  };
  return (
    <FormDialog title={`Cancel ${job.name}`} action="Cancel job" look="danger" {...{ form, submit, onClose }}>
      <RadioCards
        label="What was learned so far"
        value={kept}
        onChange={setKept}
        cards={[
          { value: 'keep', title: 'Keep it', text: 'The best checkpoint becomes an adapter.', locked: nothing },
          { value: 'drop', title: 'Drop it', text: 'Checkpoints are removed.' },
        ]}
      />
    </FormDialog>
  );
}
