import { type JSX, useState } from 'react';
import { chooseTimeZone, useTimeZone } from '../format/time-zone.js';
import { Button } from '../ui/button.js';
import { EventFeed, type FeedEvent } from '../ui/event-feed.js';
import { Section } from '../ui/page.js';
import { Stepper } from '../ui/stepper.js';
import { Tabs } from '../ui/tabs.js';
import { Switch } from '../ui/toggles.js';
import { Example } from './example.js';
import type { Part } from './part.js';

const EVENTS: readonly FeedEvent[] = [
  {
    id: 1,
    at: '2026-11-21T23:10:00Z',
    icon: 'failed',
    look: 'bad',
    text: 'deployment-50 failed: the file is damaged.',
    detail: 'Revision 2',
  },
  {
    id: 2,
    at: '2026-11-21T09:02:00Z',
    icon: 'edit',
    text: 'Changed the context of Support chat.',
    detail: '4,096 → 8,192',
    who: 'ada@example.com',
  },
  { id: 3, at: '2026-11-20T17:45:00Z', icon: 'key', look: 'good', text: 'Created the key Website, production.', who: 'Grace Hopper' },
];

function FeedExample(): JSX.Element {
  const zone = useTimeZone();
  return (
    <div className="grid w-full max-w-[50rem] gap-3">
      <Switch label="Times in UTC" checked={zone === 'utc'} onChange={(on) => chooseTimeZone(on ? 'utc' : 'local')} />
      <EventFeed label="Activity" events={EVENTS} />
    </div>
  );
}

function TabsExample(): JSX.Element {
  const [tab, setTab] = useState<'mcp' | 'keys'>('keys');
  return (
    <div className="w-full">
      <Tabs
        label="Kinds of keys"
        value={tab}
        onChange={setTab}
        items={[
          { value: 'mcp', label: 'MCP Key', href: '?part=flows&tab=mcp', content: 'The key of agents.' },
          { value: 'keys', label: 'Deployment Keys', href: '?part=flows', count: 8, content: 'Keys of programs.' },
        ]}
      />
    </div>
  );
}

function Examples(): JSX.Element {
  return (
    <>
      <Example title="Tabs">
        <TabsExample />
      </Example>
      <Example title="Section">
        <div className="w-full">
          <Section
            title="Where you are signed in"
            about="Sessions of this browser and others."
            actions={<Button>Sign out everywhere</Button>}
          >
            <p className="text-muted">Two sessions.</p>
          </Section>
        </div>
      </Example>
      <Example title="Steps">
        <div className="w-full max-w-xs">
          <Stepper
            label="Create deployment"
            steps={[
              { title: 'Source', state: 'done', text: 'On the workers', onOpen: () => undefined },
              { title: 'Model', state: 'failed', text: 'The file is too large for every worker.', onOpen: () => undefined },
              { title: 'Size', state: 'current' },
              { title: 'Name', state: 'ahead' },
            ]}
          />
        </div>
      </Example>
      <Example title="Events">
        <FeedExample />
      </Example>
    </>
  );
}

export default { title: 'Flows', Examples } satisfies Part;
