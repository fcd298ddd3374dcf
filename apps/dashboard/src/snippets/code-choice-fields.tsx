import type { JSX } from 'react';
import { SelectField } from '../ui/field.js';
import { CONTRACT_CHOICES, LANGUAGE_CHOICES } from './code-choices.js';
import type { Contract, Language } from './inference-snippets.js';

export interface CodeChoiceFieldsProps {
  readonly contract: Contract;
  readonly language: Language;
  readonly onContract: (contract: Contract) => void;
  readonly onLanguage: (language: Language) => void;
}

/** By which contract, and in which language. */
export function CodeChoiceFields({ contract, language, onContract, onLanguage }: CodeChoiceFieldsProps): JSX.Element {
  return (
    <>
      <SelectField
        label="Contract"
        choices={CONTRACT_CHOICES}
        value={contract}
        onChange={({ target: { value } }) => onContract(value === 'messages' ? 'messages' : 'chat')}
      />
      <SelectField
        label="Language"
        choices={LANGUAGE_CHOICES}
        value={language}
        onChange={({ target: { value } }) => onLanguage(LANGUAGE_CHOICES.find((one) => one.value === value)?.value ?? 'curl')}
      />
    </>
  );
}
