import { type JSX, useState } from 'react';
import { ComboboxField, MultiComboboxField } from '../ui/combobox-field.js';
import { SelectField } from '../ui/field.js';
import { RadioCards } from '../ui/radio-cards.js';
import type { Choice } from '../ui/select.js';
import { Checkbox, Switch } from '../ui/toggles.js';
import { Example } from './example.js';
import type { Part } from './part.js';

const ROLES: readonly Choice[] = [
  { value: 'owner', label: 'Owner', hint: 'Everything, also members and limits', icon: 'shield' },
  { value: 'member', label: 'Member', hint: 'Deployments and keys', icon: 'person' },
  { value: 'viewer', label: 'Viewer', hint: 'Looks at everything, changes nothing', icon: 'show' },
  { value: 'billing', label: 'Billing', disabled: true },
];
const DEPLOYMENTS: readonly Choice[] = Array.from({ length: 60 }, (_, n) => ({
  value: n % 7 === 0 ? `support-chat-${n + 1}` : `deployment-${n + 1}`,
  label: n % 7 === 0 ? `support-chat-${n + 1}` : `deployment-${n + 1}`,
}));
const SOURCES = [
  { value: 'here', title: 'On the workers', text: 'A model that is in a model folder', icon: 'server' },
  { value: 'hub', title: 'Hugging Face', text: 'A GGUF file to download', icon: 'download' },
  { value: 'engine', title: 'Engine', text: 'vLLM, SGLang, Ollama', icon: 'cpu', locked: 'The operator allows no engine hosts.' },
] as const;

function Lists(): JSX.Element {
  const [role, setRole] = useState('member');
  const [one, setOne] = useState<string | null>('deployment-2');
  const [many, setMany] = useState<readonly string[]>(['support-chat-1', 'deployment-3']);
  return (
    <div className="grid w-full gap-4 sm:grid-cols-2 lg:grid-cols-4">
      <SelectField label="Role" choices={ROLES} value={role} onChange={({ target }) => setRole(target.value)} hint="Owners change it." />
      <SelectField label="Engine" choices={ROLES} value="owner" disabled />
      <ComboboxField
        label="Deployment"
        choices={DEPLOYMENTS}
        value={one}
        onChange={setOne}
        fault={one === 'deployment-3' ? 'It is stopped.' : null}
      />
      <MultiComboboxField label="Deployments" choices={DEPLOYMENTS} value={many} onChange={setMany} />
    </div>
  );
}

function Toggles(): JSX.Element {
  const [on, setOn] = useState(true);
  const [some, setSome] = useState(false);
  return (
    <>
      <Switch label="Follow" checked={on} onChange={setOn} />
      <Switch label="Read-only" hint="Agents may look and change nothing." checked={!on} onChange={(next) => setOn(!next)} />
      <Switch label="Locked" checked disabled onChange={setOn} />
      <Checkbox label="Show revoked keys" checked={some} onChange={setSome} />
      <Checkbox label="All rows" checked={false} mixed={!some} onChange={setSome} />
      <Checkbox label="Locked choice" checked disabled onChange={setSome} />
    </>
  );
}

function Examples(): JSX.Element {
  const [source, setSource] = useState<'here' | 'hub' | 'engine'>('here');
  return (
    <>
      <Example title="Lists">
        <Lists />
      </Example>
      <Example title="On and off">
        <Toggles />
      </Example>
      <Example title="Cards">
        <div className="w-full">
          <RadioCards label="Source" cards={SOURCES} value={source} onChange={setSource} />
        </div>
      </Example>
    </>
  );
}

export default { title: 'Choices', Examples } satisfies Part;
