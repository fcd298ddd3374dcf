import type { JSX } from 'react';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import type { Faults, Parameter, Settings } from './settings.js';

export interface SettingsPanelProps {
  readonly settings: Settings;
  readonly faults: Faults;
  readonly onChange: (settings: Settings) => void;
  /** Why a parameter cannot be set; null = it can. */
  readonly hindrance: (parameter: Parameter) => string | null;
}

const CONTRACTS = [
  { value: 'chat', label: 'Chat completions' },
  { value: 'messages', label: 'Messages' },
] as const;
const EFFORTS = [
  { value: 'default', label: 'As the model does by itself' },
  { value: 'off', label: 'Off' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
] as const;
const CHOICES = [
  { value: 'auto', label: 'The model decides' },
  { value: 'required', label: 'It must call one' },
  { value: 'none', label: 'It may call none' },
] as const;
const SCHEMA_EXAMPLE = '{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}';
const TOOLS_EXAMPLE =
  '[{"name": "get_weather", "description": "…", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]';

type Wiring<K extends keyof Settings> = {
  readonly value: Settings[K];
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
};

/** How answers are to be. What a deployment or the contract lacks says so and cannot be set. */
export function SettingsPanel({ settings, faults, onChange, hindrance }: SettingsPanelProps): JSX.Element {
  const wire = <K extends keyof Settings>(field: K): Wiring<K> & { readonly fault: string | undefined } => ({
    value: settings[field],
    fault: faults[field],
    onChange: ({ target: { value } }) => onChange({ ...settings, [field]: value }),
  });
  const gate = (parameter: Parameter): { readonly disabled: boolean; readonly hint?: string } => {
    const reason = hindrance(parameter);
    return reason === null ? { disabled: false } : { disabled: true, hint: reason };
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <SelectField label="Contract" choices={CONTRACTS} {...wire('contract')} />
      <TextArea label="System prompt" rows={3} {...wire('system')} />
      <div className="grid grid-cols-2 gap-3">
        <TextField label="Temperature" inputMode="decimal" placeholder="0 to 2" {...wire('temperature')} />
        <TextField label="Top p" inputMode="decimal" placeholder="0 to 1" {...wire('topP')} />
        <TextField
          label="Longest answer"
          inputMode="numeric"
          placeholder={settings.contract === 'messages' ? '1024 tokens' : 'tokens'}
          {...wire('maxTokens')}
        />
        <TextField label="Seed" inputMode="numeric" {...wire('seed')} {...gate('seed')} />
      </div>
      <TextArea label="Stop texts" hint="One in each line." rows={2} {...wire('stop')} />
      <Form {...{ settings, wire, hindrance }} />
      <SelectField label="Reasoning" choices={EFFORTS} {...wire('reasoning')} {...gate('reasoning')} />
      <TextArea
        label="Tools"
        rows={4}
        spellCheck={false}
        className="font-mono text-sm"
        placeholder={TOOLS_EXAMPLE}
        {...wire('tools')}
        {...gate('tools')}
      />
      {settings.tools.trim() !== '' && hindrance('tools') === null && (
        <SelectField
          label="Calls"
          choices={CHOICES.filter(({ value }) => value !== 'required' || hindrance('tool_choice') === null)}
          {...wire('toolChoice')}
        />
      )}
    </div>
  );
}

interface FormProps extends Pick<SettingsPanelProps, 'settings' | 'hindrance'> {
  readonly wire: <K extends 'form' | 'schema'>(field: K) => Wiring<K> & { readonly fault: string | undefined };
}

/** The form that an answer is held to. */
function Form({ settings, wire, hindrance }: FormProps): JSX.Element {
  const forms = [
    { value: 'text', label: 'Text', reason: null },
    { value: 'json_object', label: 'A JSON object', reason: hindrance('json_object') },
    { value: 'json_schema', label: 'By a JSON schema', reason: hindrance('json_schema') },
  ];
  const open = forms.filter(({ reason, value }) => reason === null || value === settings.form);
  const chosen = forms.find(({ value }) => value === settings.form);
  return (
    <>
      <SelectField
        label="Form of the answer"
        choices={open}
        {...wire('form')}
        disabled={open.length === 1}
        hint={chosen?.reason ?? (open.length === 1 ? forms[2]?.reason : undefined) ?? undefined}
      />
      {settings.form === 'json_schema' && (
        <TextArea
          label="JSON schema"
          rows={5}
          spellCheck={false}
          className="font-mono text-sm"
          placeholder={SCHEMA_EXAMPLE}
          {...wire('schema')}
          disabled={hindrance('json_schema') !== null}
        />
      )}
    </>
  );
}
