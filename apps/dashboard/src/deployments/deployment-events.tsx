import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { Button } from '../ui/button.js';
import { EventFeed, type FeedEvent } from '../ui/event-feed.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';
import { eventActor, eventWords } from './event-words.js';
import { useMemberNames } from '../api/lists.js';

const EVERY_MS = 5_000;
/** Events that are asked for, one step more at each press of the button. */
const LIMITS = [12, 50, 200] as const;

/** What happened to a deployment, the newest first. */
export function DeploymentEvents({ id }: { readonly id: number }): JSX.Element {
  const [step, setStep] = useState(0);
  const nameOf = useMemberNames();
  const query = useCall('deployments/events', { deployment: id, limit: LIMITS[step] ?? 200 }, { every: () => EVERY_MS, keep: true });
  return (
    <Panel title="Events">
      <Loaded query={query} what="Events" shape="text" rows={6}>
        {({ events, next }) => (
          <>
            {events.length === 0 && <p className="text-sm text-muted">No events yet.</p>}
            <EventFeed
              label="Events"
              events={events.map((event): FeedEvent => {
                const { icon, look, text, detail } = eventWords(event);
                const who = eventActor(event, nameOf);
                return { id: event.id, at: event.at, icon, look, text, ...(detail !== null && { detail }), ...(who && { who }) };
              })}
            />
            {next !== null && step < LIMITS.length - 1 && (
              <div>
                <Button look="quiet" icon="down" busy={query.isPlaceholderData} onClick={() => setStep(step + 1)}>
                  Show older
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}
