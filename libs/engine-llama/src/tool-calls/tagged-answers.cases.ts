import { call, type Case, text } from './found-calls.js';

/** Answers of families that write arguments one by one. */
export const TAGGED_ANSWERS: readonly Case[] = [
  [
    'qwen-xml: text, number and list parameters',
    'I look.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis "é😀"\n</p> x\n</parameter>\n<parameter=days>\n3\n</parameter>\n<parameter=tags>\n["a", 1]\n</parameter>\n</function>\n</tool_call>\n<tool_call><function=get_time></function></tool_call>',
    [
      text('I look.\n'),
      call('get_weather', '{"city": "Paris \\"é😀\\"\\n</p> x", "days": 3, "tags": ["a", 1]}'),
      text('\n'),
      call('get_time', '{}'),
    ],
  ],
  [
    'qwen-xml: no outer mark, unknown parameters',
    '<function=other><parameter=a>True</parameter><parameter=b>x y</parameter></function>',
    [call('other', '{"a": true, "b": "x y"}')],
  ],
  ['qwen-xml: a mark that is none', 'A <tool_call> is <function', [text('A <tool_call> is <function')]],
  [
    'glm: pairs',
    'Hm.<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>12</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call><tool_call>get_time\n</tool_call>',
    [text('Hm.'), call('get_weather', '{"city": "12", "days": 2}'), call('get_time', '{}')],
  ],
  ['glm: a mark that is none', '<tool_call>word and more', [text('<tool_call>word and more')]],
  [
    'muse: two calls with their recipients',
    ' to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n<atem:parameter name="city">Rome\n</atem:parameter>\n<atem:parameter name="days">1</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|><|start|>assistant to=get_time<|message|><atem:function_calls>\n<atem:invoke name="get_time">\n</atem:invoke>\n</atem:function_calls><|eot|>',
    [call('get_weather', '{"city": "Rome\\n", "days": 1}'), call('get_time', '{}')],
  ],
  ['muse: text to the user', ' to=user<|message|>I go to=the sea.', [text('I go to=the sea.')]],
  [
    'kimi-k3: a response and typed arguments',
    '<|open|>response<|sep|>On it.<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>12<|close|>argument<|sep|><|open|>argument key="other" type="number"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|><|open|>call tool="get_time" index="2"<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
    [text('On it.'), call('get_weather', '{"city": "12", "other": 2}'), call('get_time', '{}')],
  ],
  [
    'gemma: marked texts, nested values, two calls',
    'Hi<|tool_call>call:get_weather{city:<|"|>Rome "é"\n<|"|>,days:-3,tags:[<|"|>a<|"|>,true,null,{n:1.5e3,deep:{}}]}<tool_call|><|tool_call>call:get_time{}<tool_call|>',
    [
      text('Hi'),
      call('get_weather', '{"city": "Rome \\"é\\"\\n", "days": -3, "tags": ["a", true, null, {"n": 1.5e3, "deep": {}}]}'),
      call('get_time', '{}'),
    ],
  ],
  ['gemma: JSON values, a stray mark', '<|tool_call>call:f{"a":{"b":[1]}}<tool_call|><channel|>', [call('f', '{"a": {"b": [1]}}')]],
  [
    'minimax-m3: tags named as the parameters are, nested ones too',
    ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Rome]<]minimax[>[</city>]<]minimax[>[<tags>]<]minimax[>[<item>a]<]minimax[>[</item>]<]minimax[>[<item>]<]minimax[>[<x>1]<]minimax[>[</x>]<]minimax[>[</item>]<]minimax[>[</tags>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
    [call('get_weather', '{"city": "Rome", "tags": ["a", {"x": 1}]}')],
  ],
  [
    'minimax-m2: two calls in one section',
    'So.\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">A </p>\n</parameter>\n<parameter name="days">2</parameter>\n</invoke>\n<invoke name="get_time">\n</invoke>\n</minimax:tool_call>',
    [text('So.\n'), call('get_weather', '{"city": "A </p>\\n", "days": 2}'), call('get_time', '{}')],
  ],
  [
    'deepseek-v3.2: the answer says what is text',
    '\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="other">\n<｜DSML｜parameter name="a" string="true">1</｜DSML｜parameter>\n<｜DSML｜parameter name="b" string="false">[1]</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    [text('\n\n'), call('other', '{"a": "1", "b": [1]}')],
  ],
  [
    'hunyuan: pairs with a suffix',
    '<tool_calls:opensource>\n<tool_call:opensource>get_weather<tool_sep:opensource>\n<arg_key:opensource>days</arg_key:opensource>\n<arg_value:opensource>1</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>',
    [call('get_weather', '{"days": 1}')],
  ],
  [
    'minicpm: a text that holds tags',
    '<function name="get_weather"><param name="city"><![CDATA[a</param>]]></param><param name="tags">[\'x\', True]</param></function>\n<function name="get_time"></function>',
    [call('get_weather', '{"city": "a</param>", "tags": ["x", true]}'), text('\n'), call('get_time', '{}')],
  ],
  [
    'seed: functions in a mark of its own',
    '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Rome</parameter>\n<parameter=days>3</parameter>\n</function>\n</seed:tool_call>',
    [call('get_weather', '{"city": "Rome", "days": 3}')],
  ],
  [
    'lfm: calls as in Python, in its words or JSON’s',
    `Ok.<|tool_call_start|>[get_weather(city='Rome\\'s "x"\\n', days=3, tags=["a", None, {'k': True}]), other(a=true), get_time()]<|tool_call_end|>`,
    [
      text('Ok.'),
      call('get_weather', '{"city": "Rome\'s \\"x\\"\\n", "days": 3, "tags": ["a", null, {"k": true}]}'),
      call('other', '{"a": true}'),
      call('get_time', '{}'),
    ],
  ],
  [
    'lfm: a mark that is none',
    '<|tool_call_start|>[nothing(a=1)]<|tool_call_end|>',
    [text('<|tool_call_start|>[nothing(a=1)]<|tool_call_end|>')],
  ],
];
