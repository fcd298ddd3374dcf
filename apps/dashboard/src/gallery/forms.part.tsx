import { type JSX, useState } from 'react';
import { useForm } from 'react-hook-form';
import { Button } from '../ui/button.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { fieldOf, Form } from '../ui/form.js';
import { NumberField, SliderField } from '../ui/number-fields.js';
import { PasswordField } from '../ui/password-field.js';
import { Example } from './example.js';
import type { Part } from './part.js';

const EXPIRY = ['30 days', '90 days', 'Never'].map((label) => ({ value: label, label }));

function KeyForm(): JSX.Element {
  const form = useForm({ defaultValues: { name: '', expiry: '90 days' } });
  const [saved, setSaved] = useState<string | null>(null);
  const submit = async ({ name, expiry }: { name: string; expiry: string }): Promise<void> => {
    await Promise.resolve();
    setSaved(`${name}, ${expiry}`);
  };
  const button = (
    <div className="flex items-center gap-3">
      <Button type="submit" look="main">
        Save
      </Button>
      <Button onClick={() => form.reset()}>Reset</Button>
      <output className="text-sm text-muted">{saved}</output>
    </div>
  );
  return (
    <Form form={form} submit={submit} buttons={button} className="w-full max-w-[40rem]">
      <TextField label="Name" {...fieldOf(form, 'name', { required: 'Enter a name.' })} />
      <SelectField
        label="Expires after"
        choices={EXPIRY}
        {...fieldOf(form, 'expiry', { validate: (value) => value !== 'Never' || 'Keys here must end.' })}
      />
    </Form>
  );
}

function Numbers(): JSX.Element {
  const [replicas, setReplicas] = useState<number | null>(2);
  const [temperature, setTemperature] = useState(0.7);
  return (
    <div className="grid w-full gap-4 sm:grid-cols-3">
      <NumberField label="Replicas" value={replicas} onChange={setReplicas} min={1} max={8} hint="1 to 8" />
      <NumberField label="Max tokens" value={null} onChange={setReplicas} placeholder="No limit" unit="tokens" />
      <SliderField label="Temperature" value={temperature} onChange={setTemperature} min={0} max={2} step={0.1} />
    </div>
  );
}

function Examples(): JSX.Element {
  return (
    <>
      <Example title="A form">
        <KeyForm />
      </Example>
      <Example title="Fields">
        <div className="grid w-full gap-4 sm:grid-cols-3">
          <TextField label="Email" type="email" placeholder="ada@example.com" hint="The address by which you sign in." />
          <TextField label="Address" defaultValue="ftp://x" fault="Give an https address." />
          <TextField label="Slug" value="deployment-2" disabled readOnly />
          <TextArea label="System prompt" rows={3} defaultValue="You are a helpful assistant." />
          <PasswordField label="Password" />
        </div>
      </Example>
      <Example title="Numbers">
        <Numbers />
      </Example>
    </>
  );
}

export default { title: 'Forms', Examples } satisfies Part;
