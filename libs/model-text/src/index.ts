/**
 * Turns conversations into the text and tokens that a model reads. Serving, counting and training use the same rules.
 * @packageDocumentation
 */
export { ChatTemplate, ChatTemplateError } from './chat-template.js';
export type { TemplateInput, TemplateTokens, TemplateTool } from './chat-template.js';
export { textArguments } from './template-messages.js';
export type { TemplateCall, TemplateMessage } from './template-messages.js';
export { ControlTokenGuard } from './control-token-guard.js';
export type { GuardedTexts, UserText } from './control-token-guard.js';
export { bytesOf, guardInput } from './guarded-input.js';
export { TemplateFacts } from './template-facts.js';
export type { CallIds } from './template-facts.js';
export { offeredTools, templateInput } from './template-input.js';
export { trainingText, UnstableTemplateError } from './training-text.js';
export type { LearnedPart, TrainingText } from './training-text.js';
export { PromptBuilder } from './prompt-builder.js';
export type { Prompt, Tokenizer } from './prompt-builder.js';
export { JinjaTemplate } from './jinja/jinja-template.js';
export { TemplateError } from './jinja/values.js';
