import type { ConsoleReply, SourceKind } from '@slipway/contracts';
import type { JSX } from 'react';
import { ComboboxField } from '../../ui/combobox-field.js';
import type { IconName } from '../../ui/icon.js';
import { type Card, RadioCards } from '../../ui/radio-cards.js';
import { slugOf } from '../inference-target.js';
import type { DraftFieldsProps } from '../draft-text.js';
import { useDeployments } from '../use-deployments.js';
import { useOptions } from '../use-options.js';

interface SourceWords {
  readonly title: string;
  readonly text: string;
  readonly icon: IconName;
}

/** The kinds of sources, as people choose one. */
export const SOURCES: Readonly<Record<SourceKind, SourceWords>> = {
  file: { title: 'On the workers', text: 'A GGUF file in one of the operator’s model folders.', icon: 'server' },
  download: { title: 'Hugging Face or URL', text: 'Workers download a GGUF file once and keep it.', icon: 'download' },
  http: { title: 'Engine', text: 'A running server: vLLM, SGLang, llama-server or Ollama.', icon: 'globe' },
};

type Allowed = ConsoleReply<'deployments/options'>['sources'][SourceKind];

const lockOf = (allowed: Allowed | undefined): string | undefined =>
  allowed && !allowed.allowed ? allowed.detail || 'Not allowed by the operator.' : undefined;

/** The kinds as cards; a forbidden one says what the operator must set. */
export const sourceCards = (
  sources: ConsoleReply<'deployments/options'>['sources'] | undefined,
): readonly (Card<SourceKind> & SourceWords)[] =>
  (Object.keys(SOURCES) as SourceKind[]).map((kind) => {
    const locked = lockOf(sources?.[kind]);
    return { value: kind, ...SOURCES[kind], ...(locked !== undefined && { locked }) };
  });

export interface SourceStepProps extends DraftFieldsProps {
  /** Number of the deployment whose settings are taken; 0 = none. */
  readonly like: number;
  readonly onLike: (like: number) => void;
}

/** Where the model comes from, or the settings of which deployment are taken. */
export function SourceStep({ draft, faults, onChange, like, onLike }: SourceStepProps): JSX.Element {
  const options = useOptions();
  const { data } = useDeployments();
  const choices = [
    { value: '0', label: 'Nothing' },
    ...(data ?? []).map((one) => ({ value: String(one.id), label: one.name, hint: slugOf(one) })),
  ];
  return (
    <>
      <div className="[&_[role=radiogroup]]:grid-cols-1">
        <RadioCards
          label="Where is the model?"
          cards={sourceCards(options?.sources)}
          value={draft.kind}
          onChange={(kind) => onChange({ kind, engine: '', engineOptions: {} })}
        />
      </div>
      {faults.kind !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {faults.kind}
        </p>
      )}
      {choices.length > 1 && (
        <ComboboxField
          label="Same settings as"
          hint="Takes model and size of another deployment. Its credential is not copied."
          choices={choices}
          value={String(like)}
          onChange={(value) => onLike(Number(value))}
        />
      )}
    </>
  );
}
