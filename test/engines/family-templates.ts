/**
 * Small chat templates, each in the shape of one family of models: how it lists tools, writes calls into a conversation,
 * and takes results. The real ones are longer and say the same.
 */
export const TEMPLATES = {
  hermes: `{%- if tools %}<|im_start|>system
Tools: {% for t in tools %}{{ t | tojson }}{% endfor %}
Answer <tool_call>{"name": n, "arguments": {}}</tool_call> to call one.<|im_end|>
{% endif %}{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' + (m.content or '') }}
{%- for c in m.tool_calls or [] %}{{- '\\n<tool_call>\\n' + ({'name': c.function.name, 'arguments': c.function.arguments} | tojson) + '\\n</tool_call>' }}{%- endfor %}
{{- '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`,

  'llama-json': `{{- bos_token }}{%- for m in messages %}
{%- if m.tool_calls is defined %}{%- if m.tool_calls | length != 1 %}{{- raise_exception('One call at a time') }}{%- endif %}
{%- set f = m.tool_calls[0].function %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{{- '{"name": "' + f.name + '", "parameters": ' + (f.arguments | tojson) + '}<|eot_id|>' }}
{%- else %}{{- '<|start_header_id|>' + ('ipython' if m.role == 'tool' else m.role) + '<|end_header_id|>\\n\\n' + m.content | trim + '<|eot_id|>' }}{%- endif %}
{%- if loop.first and tools %}{{- 'Answer {"name": name, "parameters": arguments}. ' }}{%- for t in tools %}{{- t | tojson(indent=4) }}{%- endfor %}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}`,

  mistral: `{{- bos_token }}{%- if tools %}{{- '[AVAILABLE_TOOLS] ' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}{%- endif %}{%- for m in messages %}
{%- if m.role == 'user' %}{{- '[INST] ' + m.content + '[/INST]' }}
{%- elif m.role == 'system' %}{{- raise_exception('No system role') }}
{%- elif m.role == 'tool' %}{{- '[TOOL_RESULTS] {"content": ' + (m.content | tojson) + ', "call_id": "' + m.tool_call_id + '"}[/TOOL_RESULTS]' }}
{%- elif m.tool_calls is defined %}{{- '[TOOL_CALLS] [' }}{%- for c in m.tool_calls %}
{%- if c.id | length != 9 %}{{- raise_exception('Ids have 9 characters') }}{%- endif %}
{{- (c.function | tojson)[:-1] + ', "id": "' + c.id + '"}' }}{%- if not loop.last %}{{- ', ' }}{%- endif %}{%- endfor %}{{- ']' + eos_token }}
{%- else %}{{- ' ' + m.content + eos_token }}{%- endif %}{%- endfor %}`,

  'mistral-named': `{{- bos_token }}{%- if tools %}{{- '[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}{%- endif %}{%- for m in messages %}
{%- if m.role == 'user' %}{{- '[INST]' + m.content + '[/INST]' }}
{%- elif m.role == 'system' %}{{- '[SYSTEM_PROMPT]' + m.content + '[/SYSTEM_PROMPT]' }}
{%- elif m.role == 'tool' %}{{- '[TOOL_RESULTS]' + m.tool_call_id + '[TOOL_CONTENT]' + m.content + '[/TOOL_RESULTS]' }}
{%- else %}{{- m.content }}{%- for c in m.tool_calls or [] %}{{- '[TOOL_CALLS]' + c.function.name + '[CALL_ID]' + c.id + '[ARGS]' + (c.function.arguments | tojson) }}{%- endfor %}{{- eos_token }}{%- endif %}{%- endfor %}`,

  'qwen-xml': `{%- if tools %}{{- '<|im_start|>system\\n' }}{%- for t in tools %}{{- '<function><name>' + t.function.name + '</name>' }}
{%- for name, p in t.function.parameters.properties | items %}{{- '<parameter><name>' + name + '</name><type>' + (p.type if p.type is defined else 'any') + '</type></parameter>' }}{%- endfor %}{{- '</function>' }}{%- endfor %}
{{- 'Call by <tool_call><function=name><parameter=key>value</parameter></function></tool_call><|im_end|>\\n' }}{%- endif %}{%- for m in messages %}
{{- '<|im_start|>' + m.role + '\\n' + (m.content or '') }}{%- for c in m.tool_calls or [] %}{{- '<tool_call>\\n<function=' + c.function.name + '>\\n' }}
{%- for k, v in c.function.arguments | items %}{{- '<parameter=' + k + '>\\n' + (v if v is string else v | tojson) + '\\n</parameter>\\n' }}{%- endfor %}{{- '</function>\\n</tool_call>' }}{%- endfor %}
{{- '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`,

  glm: `{{- '[gMASK]<sop>' }}{%- if tools %}{{- '<|system|>\\n' }}{%- for t in tools %}{{- t | tojson }}{%- endfor %}{%- endif %}{%- for m in messages %}
{{- ('<|observation|>' if m.role == 'tool' else '<|' + m.role + '|>') + '\\n' + (m.content or '') }}{%- for c in m.tool_calls or [] %}{{- '\\n<tool_call>' + c.function.name }}
{%- for k, v in c.function.arguments | items %}{{- '\\n<arg_key>' + k + '</arg_key>\\n<arg_value>' + (v if v is string else v | tojson) + '</arg_value>' }}{%- endfor %}{{- '\\n</tool_call>' }}{%- endfor %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- endif %}`,

  'deepseek-fenced': `{{- bos_token }}{%- for m in messages %}{%- if m.role == 'system' %}{{- m.content }}{%- endif %}{%- endfor %}{%- if tools %}{{- tools | tojson }}{%- endif %}{%- for m in messages %}
{%- if m.role == 'user' %}{{- '<｜User｜>' + m.content }}{%- elif m.role == 'tool' %}{{- '<｜tool▁output▁begin｜>' + m.content + '<｜tool▁output▁end｜>' }}
{%- elif m.tool_calls is defined %}{{- '<｜Assistant｜><｜tool▁calls▁begin｜>' }}{%- for c in m.tool_calls %}{{- '<｜tool▁call▁begin｜>' + c.type + '<｜tool▁sep｜>' + c.function.name + '\\n\`\`\`json\\n' + c.function.arguments + '\\n\`\`\`<｜tool▁call▁end｜>' }}{%- endfor %}{{- '<｜tool▁calls▁end｜>' }}
{%- elif m.role == 'assistant' %}{{- '<｜Assistant｜>' + m.content }}{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{- '<｜Assistant｜>' }}{%- endif %}`,

  deepseek: `{{- bos_token }}{%- for m in messages %}{%- if m.role == 'system' %}{{- m.content }}{%- endif %}{%- endfor %}{%- if tools %}{{- tools | tojson }}{%- endif %}{%- for m in messages %}
{%- if m.role == 'user' %}{{- '<｜User｜>' + m.content }}{%- elif m.role == 'tool' %}{{- '<｜tool▁output▁begin｜>' + m.content + '<｜tool▁output▁end｜>' }}
{%- elif m.role == 'assistant' %}{{- '<｜Assistant｜></think>' + (m.content or '') }}{%- for c in m.tool_calls or [] %}{{- '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + c.function.name + '<｜tool▁sep｜>' + (c.function.arguments | tojson) + '<｜tool▁call▁end｜><｜tool▁calls▁end｜>' }}{%- endfor %}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<｜Assistant｜>' + ('<think>' if thinking else '</think>') }}{%- endif %}`,

  granite: `{%- if tools %}{{- '<|start_of_role|>available_tools<|end_of_role|>' + (tools | tojson(indent=4)) + '<|end_of_text|>\\n' }}{%- endif %}{%- for m in messages %}
{{- '<|start_of_role|>' + ('tool_response' if m.role == 'tool' else m.role) + '<|end_of_role|>' + (m.content or '') }}
{%- if m.tool_calls is defined %}{{- '<|tool_call|>[' }}{%- for c in m.tool_calls %}{{- {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}{%- if not loop.last %}{{- ', ' }}{%- endif %}{%- endfor %}{{- ']' }}{%- endif %}
{{- '<|end_of_text|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}{%- endif %}`,

  phi: `{%- for m in messages %}{{- '<|' + m.role + '|>' + (m.content or '') }}{%- if loop.first and tools %}{{- '<|tool|>' + (tools | tojson) + '<|/tool|>' }}{%- endif %}
{%- if m.tool_calls is defined %}{{- '<|tool_call|>[' }}{%- for c in m.tool_calls %}{{- {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}{%- if not loop.last %}{{- ', ' }}{%- endif %}{%- endfor %}{{- ']<|/tool_call|>' }}{%- endif %}
{{- '<|end|>' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|assistant|>' }}{%- endif %}`,

  command: `{{- bos_token }}{%- if tools %}{{- '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>' + (tools | tojson) + '<|END_OF_TURN_TOKEN|>' }}{%- endif %}{%- for m in messages %}
{%- if m.role == 'tool' %}{{- '<|SYSTEM_TOKEN|><|START_TOOL_RESULT|>' + (m.content | tojson) + '<|END_TOOL_RESULT|>' }}
{%- elif m.tool_calls is defined %}{{- '<|CHATBOT_TOKEN|><|START_ACTION|>[' }}{%- for c in m.tool_calls %}{{- {'tool_call_id': loop.index0 | string, 'tool_name': c.function.name, 'parameters': c.function.arguments} | tojson }}{%- if not loop.last %}{{- ', ' }}{%- endif %}{%- endfor %}{{- ']<|END_ACTION|>' }}
{%- else %}{{- ('<|USER_TOKEN|>' if m.role == 'user' else '<|CHATBOT_TOKEN|>') + m.content }}{%- endif %}{{- '<|END_OF_TURN_TOKEN|>' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}{%- endif %}`,
} as const;

/** Begins the reasoning itself, unless it is switched off. */
export const THINKING_TEMPLATE = `{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' }}
{%- if m.reasoning_content is defined and loop.last %}{{- '<think>\\n' + m.reasoning_content + '\\n</think>\\n\\n' }}{%- endif %}{{- m.content + '<|im_end|>\\n' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- if enable_thinking is defined and not enable_thinking %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- else %}{{- '<think>\\n' }}{%- endif %}{%- endif %}`;
