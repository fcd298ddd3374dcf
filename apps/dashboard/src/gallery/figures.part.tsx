import type { JSX } from 'react';
import { Avatar } from '../ui/avatar.js';
import { Chip } from '../ui/chip.js';
import { CopyField } from '../ui/copy-field.js';
import { Kbd } from '../ui/kbd.js';
import { KeyValues } from '../ui/key-values.js';
import { MeterBar, ProgressBar } from '../ui/meter.js';
import { Moment } from '../ui/moment.js';
import { Quantity } from '../ui/quantity.js';
import { StatGrid } from '../ui/stat-grid.js';
import { Status } from '../ui/status.js';
import { Example } from './example.js';
import type { Part } from './part.js';

const AT = '2026-11-21T14:03:07Z';

function Figures(): JSX.Element {
  return (
    <div className="w-full">
      <StatGrid
        label="Today"
        stats={[
          {
            label: 'Requests',
            value: <Quantity kind="count" value={128_490} />,
            delta: { share: 0.124, better: 'more', against: 'yesterday' },
          },
          { label: 'Error rate', value: '0.8', unit: '%', delta: { share: 0.31, better: 'less', against: 'yesterday' } },
          {
            label: 'Tokens',
            value: <Quantity kind="tokens" value={48_200_000} />,
            delta: { share: -0.05, better: 'neither', against: 'yesterday' },
          },
          { label: 'p95 time to first token', value: '182', unit: 'ms', delta: { share: -0.2, better: 'less', against: 'yesterday' } },
          { label: 'In flight', value: '7', unit: 'of 12 slots', delta: { share: null, better: 'neither', against: 'before' } },
        ]}
      />
    </div>
  );
}

function Bars(): JSX.Element {
  return (
    <>
      {[300, 850, 1_200].map((used) => (
        <div key={used} className="w-56">
          <MeterBar label={`Tokens, ${used}`} used={used} limit={1_000} text={`${used} of 1,000 tokens today`} />
        </div>
      ))}
      <div className="w-56">
        <ProgressBar label="Download" share={0.62} text="Downloading 62 %" />
      </div>
      <div className="w-56">
        <ProgressBar label="Loading" share={null} text="Loading" />
      </div>
    </>
  );
}

function Facts(): JSX.Element {
  return (
    <div className="grid w-full gap-4 sm:grid-cols-2">
      <KeyValues
        facts={[
          ['Created', <Moment key="at" at={AT} />],
          ['Exactly', <Moment key="at" at={AT} exact />],
          ['Model', 'svc-tiny.Q8_0.gguf'],
          false,
          ['Aliases', 'tiny'],
        ]}
      />
      <CopyField label="Base URL" value={`https://slipway.example.com/acme/${'very-long-alias-'.repeat(4)}/v1`} />
    </div>
  );
}

function Examples(): JSX.Element {
  return (
    <>
      <Example title="Key figures">
        <Figures />
      </Example>
      <Example title="Status">
        {(['good', 'warn', 'bad', 'plain', 'busy'] as const).map((look) => (
          <Status
            key={look}
            look={look}
            text={{ good: 'Ready', warn: 'Degraded', bad: 'Failed', plain: 'Stopped', busy: 'Loading 40 %' }[look]}
          />
        ))}
      </Example>
      <Example title="Chips and keys">
        <Chip text="status: failed" onRemove={() => undefined} />
        <Chip text="tiny" mono />
        <Kbd keys="mod+k" />
        <Kbd keys="g d" />
        <Avatar name="Ada Lovelace" />
        <Avatar name="ada@example.com" className="size-8 text-sm" />
      </Example>
      <Example title="Bars">
        <Bars />
      </Example>
      <Example title="Facts">
        <Facts />
      </Example>
    </>
  );
}

export default { title: 'Figures and facts', Examples } satisfies Part;
