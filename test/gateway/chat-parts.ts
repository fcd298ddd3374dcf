/** Fields of a request beside its model; what is `undefined` is left out. */
export type Body = Readonly<Record<string, unknown>>;

/** A one-pixel image. */
export const PNG = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const user = { role: 'user', content: 'one two' };
export const text = (content: string) => [{ type: 'text', text: content }];
export const tool = (name = 'f') => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } });
export const call = (fields: object = {}) => ({ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' }, ...fields });
export const history = (...messages: object[]) => ({ messages: [user, ...messages] });
export const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };
export const jsonSchema = (fields: object) => ({ response_format: { type: 'json_schema', json_schema: fields } });

export function withImage(url: string): Body {
  return {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  };
}
