const user = (content: string): object => ({ role: 'user', content });
const assistant = (content: string): object => ({ role: 'assistant', content });
export const cities = ['Oslo', 'Paris', 'Rome', 'Lima', 'Cairo', 'Tokyo', 'Madrid', 'Vienna', 'Berlin', 'Prague'];
const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
};

/** A conversation of two answers, about a city. */
export const turns = (city: string): object => ({
  messages: [
    { role: 'system', content: 'You know the codenames of cities.' },
    user(`What is the codename of ${city}?`),
    assistant(`It is Heron ${city.length}.`),
    user('Say it again.'),
    assistant(`Heron ${city.length}, as I said.`),
  ],
});
/** The same with answers that begin with line breaks. */
export const spaced = (city: string): object => ({
  messages: [
    user(`What is the codename of ${city}?`),
    assistant(`\n\nIt is Heron ${city.length}.`),
    user('Say it again.'),
    assistant(`\n\n\nHeron ${city.length}.`),
  ],
});
/** A conversation with a call of a tool. */
export function called(city: string): object {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } };
  const messages = [
    user(`How is the weather in ${city}?`),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"clear"}' },
    assistant(`The sky of ${city} is clear.`),
  ];
  return { messages, tools: [tool] };
}
