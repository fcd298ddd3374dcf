import {
  Control,
  ControlAnswer,
  Frames,
  Heartbeat,
  NoInterest,
  Start,
  StreamId,
  type DeploymentId,
  type Incarnation,
  subjectOf,
  wildcardOf,
} from '@slipway/contracts';

/** Positions of the tokens in `inf.{env}.v1.g.{gw}.r.{st}.{at}`. */
const GATEWAY_TOKEN = 4;
const STREAM_TOKEN = 6;
const ATTEMPT_TOKEN = 7;

export interface FrameAddress {
  readonly gw: string;
  readonly st: StreamId;
  readonly at: number;
}

/** Subject builders of one environment. */
export interface Subjects {
  readonly allFramesOf: (gw: Incarnation) => string;
  /** What stands before `{st}.{at}` in the frame subjects of a gateway. */
  readonly framePrefixOf: (gw: Incarnation) => string;
  readonly frames: (gw: Incarnation, st: StreamId, at: number) => string;
  readonly allAnswersTo: (gw: Incarnation) => string;
  readonly answers: (gw: Incarnation, wk: Incarnation) => string;
  readonly starts: (wk: Incarnation) => string;
  readonly control: (wk: Incarnation) => string;
  readonly allNoInterestOf: (wk: Incarnation) => string;
  readonly noInterest: (wk: Incarnation, st: StreamId, at: number) => string;
  readonly heartbeats: (dep: DeploymentId, wk: Incarnation) => string;
  /** Takes a frame subject of this environment apart; null for any other text. */
  readonly readFrames: (subject: string) => FrameAddress | null;
}

export function subjectsOf(env: string): Subjects {
  const framesOf = (tokens: Record<string, string>): RegExp =>
    new RegExp(
      `^${wildcardOf(Frames, { env, ...tokens })
        .replaceAll('.', '\\.')
        .replaceAll('*', '[A-Za-z0-9_-]{1,64}')}$`,
    );
  const anyFrames = framesOf({});
  return {
    allFramesOf: (gw) => wildcardOf(Frames, { env, gw }),
    framePrefixOf: (gw) => wildcardOf(Frames, { env, gw }).slice(0, -'*.*'.length),
    frames: (gw, st, at) => subjectOf(Frames, { env, gw, st, at }),
    allAnswersTo: (gw) => wildcardOf(ControlAnswer, { env, gw }),
    answers: (gw, wk) => subjectOf(ControlAnswer, { env, gw, wk }),
    starts: (wk) => subjectOf(Start, { env, wk }),
    control: (wk) => subjectOf(Control, { env, wk }),
    allNoInterestOf: (wk) => wildcardOf(NoInterest, { env, wk }),
    noInterest: (wk, st, at) => subjectOf(NoInterest, { env, wk, st, at }),
    heartbeats: (dep, wk) => subjectOf(Heartbeat, { env, dep, wk }),
    readFrames: (subject) => {
      if (!anyFrames.test(subject)) return null;
      const tokens = subject.split('.');
      const at = Number(tokens[ATTEMPT_TOKEN]);
      const st = StreamId.safeParse(tokens[STREAM_TOKEN]);
      if (!st.success || !Number.isSafeInteger(at) || at < 1) return null;
      return { gw: tokens[GATEWAY_TOKEN] ?? '', st: st.data, at };
    },
  };
}
