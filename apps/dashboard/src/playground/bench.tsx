import type { DeploymentView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { slugOf } from '../deployments/inference-target.js';
import { Button } from '../ui/button.js';
import { endingOf } from './exchange.js';
import { Composer } from './composer.js';
import { LaneView } from './lane-view.js';
import { SettingsPanel } from './settings-panel.js';
import { useFollowEnd } from './use-follow-end.js';
import { callsOf, type Lane, useLane } from './use-lane.js';
import { useSettings } from './use-settings.js';

export interface BenchProps {
  readonly first: DeploymentView;
  /** Asked beside the first. */
  readonly second: DeploymentView | undefined;
  readonly deployments: readonly DeploymentView[];
  readonly onFirst: (slug: string) => void;
  readonly onSecond: (slug: string | undefined) => void;
}

interface Asked {
  readonly label: string;
  readonly lane: Lane;
  readonly deployment: DeploymentView;
  readonly onChoose: (slug: string) => void;
}

/** One or two conversations that get the same questions with the same settings. */
export function Bench({ first, second, deployments, onFirst, onSecond }: BenchProps): JSX.Element {
  const [one, other] = [useLane(), useLane()];
  const { settings, setSettings, hindrance, wishes, faults } = useSettings([first.id, second?.id]);
  const asked: readonly Asked[] = [
    { label: second ? 'First deployment' : 'Deployment', lane: one, deployment: first, onChoose: onFirst },
    ...(second ? [{ label: 'Second deployment', lane: other, deployment: second, onChoose: onSecond }] : []),
  ];
  const isWrong = Object.keys(faults).length > 0;
  const common = { contract: settings.contract, wishes };
  const send = (text: string, results: Readonly<Record<string, string>>): void => {
    for (const { lane, deployment } of asked) {
      const answered = callsOf(lane).map(({ id }) => ({ id, text: results[id] ?? '' }));
      if (text === '' && answered.length === 0) continue;
      lane.send({ ...common, deployment: slugOf(deployment), question: { text, results: answered } });
    }
  };
  const end = useFollowEnd([one.turns, other.turns]);
  return (
    <BenchFrame
      bar={<BenchBar {...{ first, second, deployments, onSecond }} lanes={[one, other]} />}
      settings={<SettingsPanel settings={settings} faults={faults} onChange={setSettings} hindrance={hindrance} />}
    >
      <div className={`grid grid-cols-[minmax(0,1fr)] items-start gap-5 ${second ? 'md:grid-cols-2' : ''}`}>
        {asked.map((side) => (
          <LaneView
            key={side.label}
            {...side}
            deployments={deployments}
            onRetry={isWrong ? undefined : () => side.lane.retry({ ...common, deployment: slugOf(side.deployment) })}
          />
        ))}
      </div>
      <div ref={end} className="scroll-mb-44" />
      <Progress lanes={asked.map(({ lane }) => lane)} />
      <Composer
        isRunning={asked.some(({ lane }) => lane.isRunning)}
        calls={asked.flatMap(({ lane }) => callsOf(lane))}
        hindrance={isWrong ? 'Correct the settings first.' : null}
        onSend={send}
        onStop={() => asked.map(({ lane }) => lane.stop())}
      />
    </BenchFrame>
  );
}

interface BenchFrameProps {
  readonly bar: JSX.Element;
  readonly settings: JSX.Element;
  readonly children: readonly JSX.Element[];
}

/** Settings stand beside the conversation, and open above it on narrow screens. */
function BenchFrame({ bar, settings, children }: BenchFrameProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="flex flex-wrap gap-2 lg:col-span-2">
        {bar}
        <Button
          icon="settings"
          aria-expanded={isOpen}
          aria-controls="playground-settings"
          className="lg:hidden"
          onClick={() => setIsOpen(!isOpen)}
        >
          Settings
        </Button>
      </div>
      <section
        id="playground-settings"
        aria-label="Settings"
        className={`rounded-lg border border-line bg-surface p-4 lg:order-2 lg:block ${isOpen ? '' : 'hidden'}`}
      >
        {settings}
      </section>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">{children}</div>
    </div>
  );
}

/** What can be done with the conversations as a whole. */
function BenchBar({
  first,
  second,
  deployments,
  onSecond,
  lanes,
}: Omit<BenchProps, 'onFirst'> & { readonly lanes: readonly Lane[] }): JSX.Element {
  const other = deployments.find(({ id }) => id !== first.id) ?? first;
  return (
    <>
      <Button icon="columns" onClick={() => onSecond(second ? undefined : slugOf(other))}>
        {second ? 'Close the comparison' : 'Compare two'}
      </Button>
      <Button icon="plus" disabled={lanes.every(({ turns }) => turns.length === 0)} onClick={() => lanes.map((lane) => lane.clear())}>
        New conversation
      </Button>
    </>
  );
}

/** Tells who does not see it that an answer begins and ends; the answer itself is read where it stands. */
function Progress({ lanes }: { readonly lanes: readonly Lane[] }): JSX.Element {
  const endings = lanes.flatMap(({ turns }) => turns.slice(-1).map(({ exchange }) => endingOf(exchange)));
  return (
    <p role="status" className="sr-only">
      {lanes.some(({ isRunning }) => isRunning) ? 'Answering' : endings.join(' ')}
    </p>
  );
}
