/** Bounds of one training file. Operators set them; the defaults are those of `DATASET_LIMITS`. */
export interface DatasetLimits {
  /** Bytes of the file, decompressed. */
  readonly fileBytes: number;
  /** Decompressed bytes per compressed byte, once more than 1 MiB came out. */
  readonly ratio: number;
  /** Bytes of one line, or of one CSV record or array element. A longer one is refused and read past. */
  readonly lineBytes: number;
  /** Levels of objects and lists in one line. */
  readonly depth: number;
  /** Examples of one version. */
  readonly examples: number;
  /** Issues that are kept one by one; all are counted. */
  readonly issues: number;
}

/** Bounds that apply unless the operator set others. */
export const DATASET_LIMITS: DatasetLimits = {
  fileBytes: 2 * 1024 ** 3,
  ratio: 200,
  lineBytes: 1024 ** 2,
  depth: 64,
  examples: 3_000_000,
  issues: 1_000,
};
