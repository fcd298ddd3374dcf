import type { DeploymentView } from '@slipway/contracts';
import { type JSX, type ReactNode, type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { slugOf } from '../deployments/inference-target.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Segmented } from '../ui/segmented.js';
import { Composer } from './composer.js';
import { endingOf } from './exchange.js';
import { LaneView } from './lane-view.js';
import { PreferenceBar } from './preference-bar.js';
import { SettingsPanel } from './settings-panel.js';
import { callsOf, type Lane, useLane } from './use-lane.js';
import { useSettings } from './use-settings.js';
import type { Workspace } from './workspace.js';

export interface BenchProps {
  readonly workspace: Workspace;
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
export function Bench({ workspace, first, second, deployments, onFirst, onSecond }: BenchProps): JSX.Element {
  const { look } = useSyncExternalStore(workspace.subscribe, () => workspace.state);
  const [one, other] = [useLane(workspace, 0), useLane(workspace, 1)];
  const { settings, setSettings, hindrance, wishes, faults, lock } = useSettings(workspace, [first.id, second?.id]);
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
  const end = useFollowEnd(one.turns, other.turns);
  const hasTurns = one.turns.length > 0 || other.turns.length > 0;
  return (
    <BenchFrame
      bar={<BenchBar {...{ workspace, first, second, deployments, onSecond }} lanes={[one, other]} />}
      settings={<SettingsPanel {...{ settings, faults, wishes, hindrance }} onChange={setSettings} />}
    >
      <div className={`grid flex-1 grid-cols-[minmax(0,1fr)] items-start gap-6 ${second ? 'md:grid-cols-2' : ''}`}>
        {asked.map((side) => (
          <LaneView
            key={side.label}
            {...side}
            look={look}
            deployments={deployments}
            onRetry={isWrong || lock !== null ? undefined : () => side.lane.retry({ ...common, deployment: slugOf(side.deployment) })}
          />
        ))}
      </div>
      {second && <PreferenceBar turns={[one.turns.at(-1), other.turns.at(-1)]} />}
      {hasTurns ? <div ref={end} className="scroll-mb-44" /> : null}
      <Progress lanes={asked.map(({ lane }) => lane)} />
      <Composer
        draft={workspace.draft}
        onDraft={(text) => workspace.keepDraft(text)}
        isRunning={asked.some(({ lane }) => lane.isRunning)}
        calls={asked.flatMap(({ lane }) => callsOf(lane))}
        hindrance={lock ?? (isWrong ? 'Correct the settings first.' : null)}
        onSend={send}
        onStop={() => asked.map(({ lane }) => lane.stop())}
      />
    </BenchFrame>
  );
}

interface BenchFrameProps {
  readonly bar: JSX.Element;
  readonly settings: JSX.Element;
  readonly children: ReactNode;
}

/** Settings stay in sight beside the conversation, and open above it on narrow screens. */
function BenchFrame({ bar, settings, children }: BenchFrameProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr]">
      <div className="flex flex-wrap items-center gap-2">
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
        tabIndex={-1}
        className={`overflow-y-auto rounded-lg border border-line bg-surface p-4 outline-none lg:sticky lg:top-16 lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:block lg:max-h-[calc(100dvh-11rem)] ${isOpen ? '' : 'hidden'}`}
      >
        {settings}
      </section>
      <div className="flex min-w-0 flex-col gap-4 lg:min-h-[calc(100dvh-14.5rem)]">{children}</div>
    </div>
  );
}

const LOOKS = [
  { value: 'markdown', label: 'Markdown' },
  { value: 'plain', label: 'Plain text' },
] as const;

/** Actions on the conversations as a whole. */
function BenchBar({
  workspace,
  first,
  second,
  deployments,
  onSecond,
  lanes,
}: Omit<BenchProps, 'onFirst'> & { readonly lanes: readonly Lane[] }): JSX.Element {
  const beside = deployments.find(({ id }) => id !== first.id) ?? first;
  const begin = (): void => {
    for (const lane of lanes) lane.stop();
    const undo = workspace.beginAnew();
    announce('Started a new conversation.', 'good', { label: 'Undo', run: undo });
  };
  return (
    <>
      <Button icon="plus" disabled={lanes.every(({ turns }) => turns.length === 0)} onClick={begin}>
        New conversation
      </Button>
      <Button icon="columns" onClick={() => onSecond(second ? undefined : slugOf(beside))}>
        {second ? 'Close comparison' : 'Compare'}
      </Button>
      <Segmented label="Answers as" choices={LOOKS} value={workspace.state.look} onChange={(look) => workspace.change({ look })} />
    </>
  );
}

/** Says to screen readers how the answers ended that ran while the screen was open; the answers themselves are read where they stand. */
function Progress({ lanes }: { readonly lanes: readonly Pick<Lane, 'turns' | 'isRunning'>[] }): JSX.Element {
  const isRunning = lanes.some((lane) => lane.isRunning);
  const [before, setBefore] = useState({ wasRunning: isRunning, said: '' });
  // Only what changes while the screen is open is news: an answer that was kept from before is not.
  if (isRunning !== before.wasRunning) setBefore({ wasRunning: isRunning, said: isRunning ? 'Answering' : endingsOf(lanes) });
  return (
    <p role="status" className="sr-only">
      {before.said}
    </p>
  );
}

/** The ending of each lane's last answer; with its deployment where there are two. */
function endingsOf(lanes: readonly Pick<Lane, 'turns'>[]): string {
  const endings = lanes.flatMap(({ turns }) => turns.slice(-1).map(({ ask, exchange }) => [ask.model, endingOf(exchange)] as const));
  return endings.map(([model, ending]) => (endings.length > 1 ? `${model}: ${ending}` : ending)).join('. ');
}

/** An end that is so little out of sight counts as seen, in pixels. */
const NEAR = 120;

/**
 * Keeps the end of something that grows in sight, for who was there.
 * @param first one of two values that change with the content
 * @returns for an element behind its end; its scroll margin is what must stay free below
 */
function useFollowEnd(first: unknown, second: unknown): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const isThere = useRef(true);
  useEffect(() => {
    const look = (): void => {
      isThere.current = (end.current?.getBoundingClientRect().top ?? 0) < window.innerHeight + NEAR;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (isThere.current) end.current?.scrollIntoView({ block: 'nearest' });
  }, [first, second]);
  return end;
}
