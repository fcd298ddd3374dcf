import type { JSX } from 'react';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { SelectField, TextArea } from '../ui/field.js';
import { NumberField, OptionalSliderField } from '../ui/number-fields.js';
import { JsonField } from './json-field.js';
import { LONGEST } from './request-body.js';
import { type Faults, FIRST_SETTINGS, type Parameter, type Settings, type Wishes } from './settings.js';

export interface SettingsPanelProps {
  readonly settings: Settings;
  readonly faults: Faults;
  /** What the settings come to. */
  readonly wishes: Wishes;
  readonly onChange: (settings: Settings) => void;
  /** Why a parameter cannot be set; null = it can. */
  readonly hindrance: (parameter: Parameter) => string | null;
}

const CONTRACTS = [
  { value: 'chat', label: 'Chat completions' },
  { value: 'responses', label: 'Responses' },
  { value: 'messages', label: 'Messages' },
] as const;
const EFFORTS = [
  { value: 'default', label: 'Default' },
  { value: 'off', label: 'Off' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
] as const;
const CHOICES = [
  { value: 'auto', label: 'Auto' },
  { value: 'required', label: 'Required', hint: 'The model must call a tool.' },
  { value: 'none', label: 'None', hint: 'The model must not call a tool.' },
] as const;
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const TOOLS = [{ name: 'get_weather', description: 'Current weather in a city.', parameters: CITY }];

/** Where the sliders stand while nothing is set: what engines usually take. */
const STANDING = { temperature: 1, topP: 1 } as const;
const UNSET = 'Default';

type Gate = { readonly disabled: boolean; readonly hint?: string };

interface PartProps extends SettingsPanelProps {
  readonly set: <K extends keyof Settings>(field: K, value: Settings[K]) => void;
  readonly gate: (parameter: Parameter) => Gate;
}

/** Settings of the requests. What a deployment or the contract does not support is disabled, with the reason. */
export function SettingsPanel(props: SettingsPanelProps): JSX.Element {
  const { settings, onChange, hindrance } = props;
  const gate = (parameter: Parameter): Gate => {
    const reason = hindrance(parameter);
    return reason === null ? { disabled: false } : { disabled: true, hint: reason };
  };
  const part: PartProps = { ...props, gate, set: (field, value) => onChange({ ...settings, [field]: value }) };
  const reset = (): void => {
    onChange(FIRST_SETTINGS);
    announce('All settings are back to their defaults.', 'good', { label: 'Undo', run: () => onChange(settings) });
  };
  const isFirst = JSON.stringify(settings) === JSON.stringify(FIRST_SETTINGS);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <div className="flex min-h-8 items-center justify-between">
        <h2 className="font-semibold">Settings</h2>
        {!isFirst && (
          <Button look="quiet" onClick={reset}>
            Reset
          </Button>
        )}
      </div>
      <SelectField
        label="Contract"
        choices={CONTRACTS}
        value={settings.contract}
        onChange={({ target }) => part.set('contract', target.value as Settings['contract'])}
      />
      <TextArea
        label="System prompt"
        rows={3}
        className="max-h-80 resize-y"
        value={settings.system}
        onChange={({ target }) => part.set('system', target.value)}
      />
      <Sampling {...part} />
      <Output {...part} />
      <Tools {...part} />
    </div>
  );
}

function Sampling({ settings, faults, set, gate }: PartProps): JSX.Element {
  const slider = (field: 'temperature' | 'topP', label: string, max: number, step: number): JSX.Element => (
    <OptionalSliderField
      label={label}
      {...{ min: 0, max, step }}
      value={settings[field]}
      standing={STANDING[field]}
      placeholder={UNSET}
      fault={faults[field]}
      onChange={(value) => set(field, value)}
    />
  );
  return (
    <>
      {slider('temperature', 'Temperature', 2, 0.1)}
      {slider('topP', 'Top P', 1, 0.05)}
      <div className="grid grid-cols-2 gap-3">
        <NumberField
          label="Max tokens"
          min={1}
          step={64}
          placeholder={settings.contract === 'messages' ? String(LONGEST) : UNSET}
          value={settings.maxTokens}
          fault={faults.maxTokens}
          onChange={(value) => set('maxTokens', value)}
        />
        <NumberField
          label="Seed"
          min={0}
          placeholder={UNSET}
          value={settings.seed}
          fault={faults.seed}
          onChange={(value) => set('seed', value)}
          {...gate('seed')}
        />
      </div>
      <TextArea
        label="Stop sequences"
        hint="One per line, up to 4."
        rows={2}
        className="resize-y font-mono text-code"
        value={settings.stop}
        fault={faults.stop}
        onChange={({ target }) => set('stop', target.value)}
        {...gate('stop')}
      />
      <SelectField
        label="Reasoning effort"
        choices={EFFORTS}
        value={settings.reasoning}
        onChange={({ target }) => set('reasoning', target.value as Settings['reasoning'])}
        {...gate('reasoning')}
      />
    </>
  );
}

/** The format that an answer is held to. */
function Output({ settings, faults, set, hindrance, gate }: PartProps): JSX.Element {
  const formats = [
    { value: 'text', label: 'Text', reason: null },
    { value: 'json_object', label: 'JSON object', reason: hindrance('json_object') },
    { value: 'json_schema', label: 'JSON schema', reason: hindrance('json_schema') },
  ];
  const chosen = formats.find(({ value }) => value === settings.form);
  return (
    <>
      <SelectField
        label="Response format"
        choices={formats.map(({ value, label, reason }) => ({
          ...{ value, label },
          ...(reason !== null && { hint: reason, disabled: value !== settings.form }),
        }))}
        value={settings.form}
        onChange={({ target }) => set('form', target.value as Settings['form'])}
        {...(chosen?.reason && { hint: chosen.reason })}
      />
      {settings.form === 'json_schema' && (
        <JsonField
          label="JSON schema"
          value={settings.schema}
          fault={faults.schema}
          example={CITY}
          disabled={gate('json_schema').disabled}
          onChange={(text) => set('schema', text)}
        />
      )}
    </>
  );
}

function Tools({ settings, faults, wishes, set, hindrance, gate }: PartProps): JSX.Element {
  const names = wishes.tools?.map(({ name }) => name) ?? [];
  const about = names.length === 0 ? 'A JSON list of functions that the model may call.' : `${names.length} valid: ${names.join(', ')}`;
  return (
    <>
      <JsonField
        label="Tools"
        value={settings.tools}
        fault={faults.tools}
        hint={about}
        example={TOOLS}
        onChange={(text) => set('tools', text)}
        {...gate('tools')}
      />
      {settings.tools.trim() !== '' && hindrance('tools') === null && (
        <SelectField
          label="Tool choice"
          choices={CHOICES.filter(({ value }) => value !== 'required' || hindrance('tool_choice') === null)}
          value={settings.toolChoice}
          onChange={({ target }) => set('toolChoice', target.value as Settings['toolChoice'])}
        />
      )}
    </>
  );
}
