"""LiteLLM as a client, through its bridge to the responses contract."""

import json

import litellm
from client_program import TOOL_DESCRIPTION, TOOL_NAME, TOOL_PARAMETERS, City, serve, under_v1

TOOLS = [{"type": "function", "function": {"name": TOOL_NAME, "description": TOOL_DESCRIPTION, "parameters": TOOL_PARAMETERS}}]


def ask(job, **more):
    return litellm.acompletion(
        **{
            "model": f"openai/responses/{job['model']}",
            "messages": [{"role": "user", "content": job["text"]}],
            "api_base": under_v1(job),
            "api_key": job["apiKey"],
            "num_retries": job.get("maxRetries", 0),
            **job.get("more", {}),
            **more,
        }
    )


def note(sight, answer):
    choice = answer.choices[0]
    sight.text = ""
    sight.said(choice.message.content)
    sight.thought = getattr(choice.message, "reasoning_content", None) or ""
    calls = choice.message.tool_calls or []
    sight.calls = [{"id": call.id, "name": call.function.name, "input": json.loads(call.function.arguments)} for call in calls]
    sight.finish = choice.finish_reason
    sight.used(answer.usage.prompt_tokens, answer.usage.completion_tokens)


async def plain(job, sight):
    note(sight, await ask(job))


async def faked_stream(job, sight):
    """It asks for a whole answer where it does not know the model, and hands it on in pieces."""
    chunks = []
    async for chunk in await ask(job, stream=True, stream_options={"include_usage": True}):
        chunks.append(chunk)
        if chunk.choices:
            sight.said(chunk.choices[0].delta.content)
    note(sight, litellm.stream_chunk_builder(chunks))


async def tool(job, sight):
    note(sight, await ask(job, tools=TOOLS))


async def runner(job, sight):
    messages = [{"role": "user", "content": job["text"]}]
    first = await ask(job, tools=TOOLS)
    note(sight, first)
    messages.append(first.choices[0].message.model_dump())
    for call in sight.calls:
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": sight.tool(**call["input"])})
    note(sight, await ask(job, messages=messages, tools=TOOLS))


async def schema(job, sight):
    answer = await ask(job, response_format=City)
    note(sight, answer)
    sight.value = json.loads(sight.text)


serve({"plain": plain, "fakedStream": faked_stream, "tool": tool, "runner": runner, "schema": schema})
