/** Fields of a request; what is `undefined` is left out. */
export type Body = Readonly<Record<string, unknown>>;

export const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } };
export const TOOL = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { q: { type: 'string' } } } };
export const SCHEMA = { type: 'json_schema', schema: { type: 'object' } };
export const text = (value: string) => ({ type: 'text', text: value });
export const user = (content: unknown) => ({ role: 'user', content });
export const assistant = (content: unknown) => ({ role: 'assistant', content });
export const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: { q: id } });
export const result = (id: string, content?: unknown, rest: object = {}) => ({ type: 'tool_result', tool_use_id: id, content, ...rest });
export const says = (...messages: object[]): Body => ({ messages });
export const called = (...content: object[]): Body => says(user('q'), assistant([use('a'), use('b')]), user(content));
