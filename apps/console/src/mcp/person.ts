import { createHash } from 'node:crypto';
import { CLIENT_CAPABILITIES_META_KEY, inputRequired, type InputRequiredResult, type ServerContext } from '@modelcontextprotocol/server';
import { ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import type { PersonBehind, ToolCall } from './mcp-tool.js';

/** Ends a call whose client must put a question first; it repeats the call with the answer. */
export class PersonMustAnswer extends Error {
  override readonly name = 'PersonMustAnswer';
  constructor(readonly question: string) {
    super('A person must answer before this call goes on.');
  }
}

const Capable = z.object({ elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial() });
const Answer = z.object({ action: z.string(), content: z.record(z.string(), z.unknown()).nullish() });
const AGREE = 'agree';

/** An answer is good for the very words that it was given to. */
const keyOf = (question: string): string => `q-${createHash('sha256').update(question).digest('hex').slice(0, 16)}`;

/** The person behind a request; null where its client cannot ask, as with all clients of before protocol revision 2026-07-28. */
export function personBehind({ mcpReq }: Pick<ServerContext, 'mcpReq'>): PersonBehind | null {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const elicitation = Capable.safeParse(envelope?.[CLIENT_CAPABILITIES_META_KEY]).data?.elicitation;
  // An empty object stands for forms.
  const hasForms = elicitation && (elicitation.form !== undefined || elicitation.url === undefined);
  if (!hasForms) return null;
  return {
    answerTo: (question) => {
      const answer = Answer.safeParse(mcpReq.inputResponses?.[keyOf(question)]).data;
      if (!answer) return null;
      return answer.action === 'accept' && answer.content?.[AGREE] === true ? 'yes' : 'no';
    },
  };
}

/** The answer to a call by which its client puts the question to the person. */
export function asking({ question }: PersonMustAnswer): InputRequiredResult {
  const requestedSchema = { type: 'object', properties: { [AGREE]: { type: 'boolean', title: 'Do it' } }, required: [AGREE] } as const;
  return inputRequired({
    inputRequests: {
      [keyOf(question)]: inputRequired.elicit({ message: question, requestedSchema: { ...requestedSchema, required: [AGREE] } }),
    },
  });
}

/** A step that a person decides. */
export interface Decision {
  /** What will happen, with a question mark at its end. */
  readonly question: string;
  /** The argument by which an agent says that the person agrees, where its client cannot ask. */
  readonly argument: string;
  readonly given: string | undefined;
  readonly wanted: string;
  /** What the agent is to do first. */
  readonly advice: string;
}

/**
 * Asks the person whether to go on, where the client can; else the argument must say so.
 * @throws PersonMustAnswer; ServiceError `invalid_request` without agreement
 */
export function requireAgreement({ person }: Pick<ToolCall, 'person'>, { question, argument, given, wanted, advice }: Decision): void {
  const refuse = (why: string): ServiceError => new ServiceError('invalid_request', `Nothing was changed: ${why}`, { param: argument });
  if (given !== undefined && given !== wanted) throw refuse(`${argument} does not name what would be done now. ${advice}`);
  if (!person) {
    if (given === wanted) return;
    throw refuse(`the person you work for has not agreed. ${advice}`);
  }
  const answer = person.answerTo(question);
  if (answer === null) throw new PersonMustAnswer(question);
  if (answer === 'no') throw refuse('the person you work for said no. Ask them what they want instead.');
}
