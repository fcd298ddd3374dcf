import type { JSX } from 'react';
import { Example } from './example.js';
import type { Part } from './part.js';

const SURFACES = ['page', 'surface', 'raised', 'sunken', 'line', 'rim', 'edge', 'accent-soft', 'good-soft', 'warn-soft', 'bad-soft'];
const TEXTS = ['ink', 'muted', 'accent', 'good', 'warn', 'bad'];
const SERIES = ['1', '2', '3', '4', '5', '6', '7', '8'].map((n) => `series-${n}`);
const STEPS = ['1', '2', '3', '4'].map((n) => `step-${n}`);

function Swatches({ names }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <>
      {names.map((name) => (
        <span key={name} className="grid w-24 gap-1 text-xs text-muted">
          <span className="h-10 rounded-md border border-line" style={{ backgroundColor: `var(--${name})` }} />
          {name}
        </span>
      ))}
    </>
  );
}

function Examples(): JSX.Element {
  return (
    <>
      <Example title="Surfaces">
        <Swatches names={SURFACES} />
      </Example>
      <Example title="Text">
        {TEXTS.map((name) => (
          <span key={name} style={{ color: `var(--${name})` }}>
            {name}
          </span>
        ))}
      </Example>
      <Example title="Series">
        <Swatches names={SERIES} />
      </Example>
      <Example title="Steps of one hue">
        <Swatches names={STEPS} />
      </Example>
      <Example title="Type">
        <div className="grid gap-1">
          <span className="text-2xl font-semibold tracking-tight tabular-nums">1,284,902</span>
          <span className="text-xl font-semibold tracking-tight">Title of a page</span>
          <span className="text-lg font-semibold">Heading of a section</span>
          <span>Body of 14 over 20 pixels: the quick brown fox jumps over the lazy dog.</span>
          <span className="text-sm">Tables and controls of 13 over 18 pixels.</span>
          <span className="text-xs text-muted">Labels of 12 over 16 pixels.</span>
          <code className="text-code">svc-tiny.Q8_0.gguf 0O 1lI</code>
        </div>
      </Example>
    </>
  );
}

export default { title: 'Colours and type', Examples } satisfies Part;
