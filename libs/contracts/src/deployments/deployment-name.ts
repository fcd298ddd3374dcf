import { z } from 'zod';

/**
 * Name that a person gives a deployment: 1 to 100 characters after trimming. What could break a line,
 * a terminal or the reading direction of a list is refused.
 */
export const DeploymentName = z
  .string()
  .trim()
  .min(1, 'Give the deployment a name.')
  .max(100, 'A name has at most 100 characters.')
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'A name holds no control characters.');
