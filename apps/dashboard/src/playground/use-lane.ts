import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { Contract } from '../snippets/inference-snippets.js';
import { canGoOn, type Past, type Question, type ToolCall } from './conversation.js';
import { begin, type Exchange, runExchange } from './exchange.js';
import { type Ask, requestBody } from './request-body.js';
import type { Wishes } from './settings.js';
import type { Turn, Workspace } from './workspace.js';

/** What is asked of a lane. */
export interface LaneQuestion {
  readonly deployment: string;
  readonly contract: Contract;
  readonly wishes: Wishes;
  readonly question: Question;
}

/** One conversation. */
export interface Lane {
  readonly turns: readonly Turn[];
  readonly isRunning: boolean;
  readonly send: (question: LaneQuestion) => void;
  /** Ends the answer that runs; what came stays. */
  readonly stop: () => void;
  /** Asks the last question again, with other settings if need be. */
  readonly retry: (question: Omit<LaneQuestion, 'question'>) => void;
}

/** The turns that a model can go on from. */
const pastOf = (turns: readonly Turn[]): Past[] =>
  turns.map(({ ask, exchange }) => ({ question: ask.question, answer: exchange.answer })).filter(({ answer }) => canGoOn(answer));

/** Calls of the last answer that wait for their results. */
export function callsOf({ turns }: Pick<Lane, 'turns'>): readonly ToolCall[] {
  const answer = turns.at(-1)?.exchange.answer;
  return answer && canGoOn(answer) ? answer.calls : [];
}

/** One conversation of a workspace. Leaving the screen stops the answer that runs; what came stays. */
export function useLane(workspace: Workspace, at: 0 | 1): Lane {
  const { lanes } = useSyncExternalStore(workspace.subscribe, () => workspace.state);
  const turns = lanes[at];
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const ask = useCallback(
    (before: readonly Turn[], { deployment, contract, wishes, question }: LaneQuestion): void => {
      const asked: Ask = { model: deployment, wishes, past: pastOf(before), question };
      const body = requestBody(contract, asked);
      const id = workspace.nextId();
      const controller = new AbortController();
      running.current?.abort();
      running.current = controller;
      workspace.changeLane(at, () => [...before, { id, ask: asked, exchange: begin({ contract, body }) }]);
      const show = (exchange: Exchange): void =>
        workspace.changeLane(at, (shown) => shown.map((turn) => (turn.id === id ? { ...turn, exchange } : turn)));
      void runExchange({ deployment, contract, body, signal: controller.signal, show });
    },
    [workspace, at],
  );

  return {
    turns,
    isRunning: turns.at(-1)?.exchange.status === 'running',
    send: (question) => ask(turns, question),
    stop: () => running.current?.abort(),
    retry: (question) => {
      const last = turns.at(-1);
      if (last) ask(turns.slice(0, -1), { ...question, question: last.ask.question });
    },
  };
}
