/** Invalid configuration. Names every invalid variable but no value, because values may be secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  /** @param problems one line each, such as `OPS_PORT: must be a number`. */
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}
