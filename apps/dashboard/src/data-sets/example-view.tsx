import type { ExampleView } from '@slipway/contracts';
import type { JSX } from 'react';
import { Chip } from '../ui/chip.js';
import { type ExampleMessage, type ExamplePart, readExample } from './example-text.js';
import { ruleText } from './rule-words.js';

export interface ExampleBodyProps {
  readonly example: ExampleView;
  /** Shows the JSON instead of the conversation. */
  readonly raw: boolean;
}

/** An example as a conversation; the parts that are learned are tinted. The text is data and shown as text alone. */
export function ExampleBody({ example: { json, cut, rules }, raw }: ExampleBodyProps): JSX.Element {
  const parts = raw || cut ? null : readExample(json);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {rules.length > 0 && (
        <div className="flex flex-wrap gap-1.5">
          {rules.map((rule) => (
            <Chip key={rule} text={ruleText(rule)} />
          ))}
        </div>
      )}
      {parts === null ? <Raw json={json} cut={cut} /> : parts.map((part, at) => <Part key={at} part={part} />)}
    </div>
  );
}

function Raw({ json, cut }: { readonly json: string; readonly cut: boolean }): JSX.Element {
  return (
    <>
      <pre className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-code wrap-anywhere whitespace-pre-wrap">{json}</pre>
      {cut && <p className="text-xs text-muted">Cut after 4 KiB. Download the version to see all of it.</p>}
    </>
  );
}

function Part({ part: { title, messages } }: { readonly part: ExamplePart }): JSX.Element {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {title !== null && <h4 className="text-xs font-medium text-muted">{title}</h4>}
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {messages.map((message, at) => (
          <Message key={at} message={message} />
        ))}
      </ol>
    </div>
  );
}

const PLACES: Readonly<Record<string, string>> = { user: 'justify-self-end ml-8', assistant: 'justify-self-start mr-8' };

function Message({ message: { role, content, calls, isLearned } }: { readonly message: ExampleMessage }): JSX.Element {
  const look = isLearned ? 'border-accent/40 bg-accent-soft' : 'border-line bg-sunken';
  return (
    <li className={`max-w-full min-w-0 rounded-lg border px-3 py-2 ${PLACES[role] ?? 'w-full'} ${look}`}>
      <span className="block text-xs text-muted">
        {role}
        {isLearned && ', learned'}
      </span>
      {content !== '' && <p className="text-sm wrap-anywhere whitespace-pre-wrap">{content}</p>}
      {calls.map((call, at) => (
        <code key={at} className="block text-code wrap-anywhere whitespace-pre-wrap">
          {call}
        </code>
      ))}
    </li>
  );
}
