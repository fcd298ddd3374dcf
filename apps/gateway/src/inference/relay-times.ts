/** When a relay does what, in milliseconds. */
export interface RelayTimes {
  /** A stream without output gets its status line and keep-alives after this long: proxies give up on silence. */
  readonly commitStreamMs: number;
  /** Between two signs of life on a silent stream. */
  readonly keepAliveMs: number;
  /** An answer that is not streamed gets its status line after this long: HTTP clients give up after 300 s without a byte. */
  readonly commitDocumentMs: number;
  /** A client that takes nothing for this long has its answer cut. */
  readonly stalledMs: number;
  /** Silence of an engine after its first output that is taken for its death. */
  readonly engineSilenceMs: number;
}

export const RELAY_TIMES: RelayTimes = {
  commitStreamMs: 15_000,
  keepAliveMs: 15_000,
  commitDocumentMs: 120_000,
  stalledMs: 60_000,
  engineSilenceMs: 120_000,
};
