"""The official SDK of the responses contract."""

import json

from client_program import TOOL_DESCRIPTION, TOOL_NAME, TOOL_PARAMETERS, City, serve, under_v1
from openai import AsyncOpenAI

TOOLS = [{"type": "function", "name": TOOL_NAME, "description": TOOL_DESCRIPTION, "parameters": TOOL_PARAMETERS, "strict": False}]


def client(job):
    return AsyncOpenAI(base_url=under_v1(job), api_key=job["apiKey"], max_retries=job.get("maxRetries", 0))


def ask(job, **more):
    return {"model": job["model"], "input": job["text"], **job.get("more", {}), **more}


def note(sight, response):
    sight.text = ""
    sight.said(response.output_text)
    calls = [item for item in response.output if item.type == "function_call"]
    sight.calls = [{"id": call.call_id, "name": call.name, "input": json.loads(call.arguments)} for call in calls]
    sight.finish = response.status
    sight.model = response.model
    sight.used(response.usage.input_tokens, response.usage.output_tokens)


async def read(stream, sight):
    async for event in stream:
        if event.type == "response.output_text.delta":
            sight.said(event.delta)
        if event.type == "response.reasoning_summary_text.delta":
            sight.thought += event.delta
        if event.type == "response.output_item.done" and event.item.type == "function_call":
            call = event.item
            sight.calls.append({"id": call.call_id, "name": call.name, "input": json.loads(call.arguments)})
        if event.type in ("response.completed", "response.incomplete"):
            note(sight, event.response)


async def plain(job, sight):
    note(sight, await client(job).responses.create(**ask(job)))


async def stream(job, sight):
    await read(await client(job).responses.create(**ask(job, stream=True)), sight)


async def leave(job, sight):
    answer = await client(job).responses.create(**ask(job, stream=True))
    async for event in answer:
        if event.type == "response.output_text.delta":
            break
    await answer.close()


async def helper(job, sight):
    async with client(job).responses.stream(**ask(job)) as answer:
        async for event in answer:
            if event.type == "response.output_text.delta":
                sight.said(event.delta)
        note(sight, await answer.get_final_response())


async def tool(job, sight):
    note(sight, await client(job).responses.create(**ask(job, tools=TOOLS)))


async def stream_tool(job, sight):
    await read(await client(job).responses.create(**ask(job, tools=TOOLS, stream=True)), sight)


async def helper_tool(job, sight):
    async with client(job).responses.stream(**ask(job, tools=TOOLS)) as answer:
        note(sight, await answer.get_final_response())


async def runner(job, sight):
    """Runs calls until there are none, which the SDK leaves to its user."""
    messages = [{"role": "user", "content": job["text"]}]
    while True:
        response = await client(job).responses.create(**ask(job, input=messages, tools=TOOLS))
        note(sight, response)
        if not sight.calls:
            return
        messages += [item.model_dump() for item in response.output]
        for call in sight.calls:
            messages.append({"type": "function_call_output", "call_id": call["id"], "output": sight.tool(**call["input"])})


async def schema(job, sight):
    response = await client(job).responses.parse(**ask(job, text_format=City))
    note(sight, response)
    sight.value = response.output_parsed.model_dump()


async def models(job, sight):
    sight.value = [model.id for model in (await client(job).models.list()).data]


serve(
    {
        "plain": plain,
        "stream": stream,
        "thoughtful": stream,
        "leave": leave,
        "helper": helper,
        "tool": tool,
        "streamTool": stream_tool,
        "helperTool": helper_tool,
        "runner": runner,
        "schema": schema,
        "models": models,
    }
)
