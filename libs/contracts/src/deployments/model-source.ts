import { z } from 'zod';

/** Any server of the chat-completions contract. `url` is its base, with or without `/v1`. */
export const EngineSource = z.object({
  kind: z.literal('http'),
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  model: z.string().min(1).max(256),
});

/** Where a deployment's model comes from. Paths are the workers', not the caller's. */
export const ModelSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), path: z.string().min(1).max(4_096) }),
  /** A GGUF over https, or `hf:user/repo/file.gguf`. `sha256` in hex: of the file; of the first one where the model is split. */
  z.object({
    kind: z.literal('download'),
    uri: z.string().min(1).max(2_048),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
  }),
  EngineSource,
]);
export type ModelSource = z.infer<typeof ModelSource>;
