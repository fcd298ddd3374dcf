import { type JSX, useEffect, useState } from 'react';
import { TextField } from './field.js';

/** The address follows in pauses of this length, in milliseconds. */
const TYPED_MS = 250;

export interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** A text to search for. Typing stays ahead of what is found. */
export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps): JSX.Element {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The address changed by another way: a link, Back, Clear.
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onSearch(typed), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <TextField
      {...{ label, placeholder }}
      bare
      type="search"
      maxLength={200}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}
